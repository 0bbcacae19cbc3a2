//! Go's `sort.Slice`, whose order of equal elements upstream's answers depend on. The specification's appendix A.

/// Sorts as Go's `sort.Slice` does: equal elements may change places, always in the same way.
pub(crate) fn sort_unstable_as_go<T>(list: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let length = list.len();
    let limit = bit_length(length);
    Sorter { list, less: &less }.quick(0, length, limit);
}

fn bit_length(number: usize) -> u32 {
    usize::BITS - number.leading_zeros()
}

struct Sorter<'a, T, L> {
    list: &'a mut [T],
    less: &'a L,
}

/// What the choice of a pivot tells of the order of the elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

/// Below this length a plain insertion is used.
const SHORT: usize = 12;

impl<T, L: Fn(&T, &T) -> bool> Sorter<'_, T, L> {
    fn less(&self, i: usize, j: usize) -> bool {
        (self.less)(&self.list[i], &self.list[j])
    }

    fn quick(&mut self, mut from: usize, mut to: usize, mut limit: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = to - from;
            if length <= SHORT {
                self.insertion(from, to);
                return;
            }
            if limit == 0 {
                self.heap(from, to);
                return;
            }
            if !was_balanced {
                self.break_patterns(from, to);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(from, to);
            if hint == Hint::Decreasing {
                self.list[from..to].reverse();
                pivot = (to - 1) - (pivot - from);
                hint = Hint::Increasing;
            }
            let seems_sorted = was_balanced && was_partitioned && hint == Hint::Increasing;
            if seems_sorted && self.partial_insertion(from, to) {
                return;
            }
            if from > 0 && !self.less(from - 1, pivot) {
                from = self.partition_equal(from, to, pivot);
                continue;
            }
            let (middle, already) = self.partition(from, to, pivot);
            was_partitioned = already;
            let (left, right) = (middle - from, to - middle);
            let threshold = length / 8;
            if left < right {
                was_balanced = left >= threshold;
                self.quick(from, middle, limit);
                from = middle + 1;
            } else {
                was_balanced = right >= threshold;
                self.quick(middle + 1, to, limit);
                to = middle;
            }
        }
    }

    fn insertion(&mut self, from: usize, to: usize) {
        for i in from + 1..to {
            let mut j = i;
            while j > from && self.less(j, j - 1) {
                self.list.swap(j, j - 1);
                j -= 1;
            }
        }
    }

    fn partition(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.list.swap(from, pivot);
        let (mut i, mut j) = (from + 1, to - 1);
        self.advance(from, &mut i, &mut j);
        if i > j {
            self.list.swap(j, from);
            return (j, true);
        }
        self.list.swap(i, j);
        i += 1;
        j -= 1;
        loop {
            self.advance(from, &mut i, &mut j);
            if i > j {
                break;
            }
            self.list.swap(i, j);
            i += 1;
            j -= 1;
        }
        self.list.swap(j, from);
        (j, false)
    }

    /// Moves both ends to the next pair that stands on the wrong sides of the pivot at `pivot`.
    fn advance(&self, pivot: usize, i: &mut usize, j: &mut usize) {
        while *i <= *j && self.less(*i, pivot) {
            *i += 1;
        }
        while *i <= *j && !self.less(*j, pivot) {
            *j -= 1;
        }
    }

    fn partition_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.list.swap(from, pivot);
        let (mut i, mut j) = (from + 1, to - 1);
        loop {
            while i <= j && !self.less(from, i) {
                i += 1;
            }
            while i <= j && self.less(from, j) {
                j -= 1;
            }
            if i > j {
                return i;
            }
            self.list.swap(i, j);
            i += 1;
            j -= 1;
        }
    }

    fn partial_insertion(&mut self, from: usize, to: usize) -> bool {
        const ROUNDS: usize = 5;
        const SHORTEST_SHIFT: usize = 50;
        let mut i = from + 1;
        for _ in 0..ROUNDS {
            while i < to && !self.less(i, i - 1) {
                i += 1;
            }
            if i == to {
                return true;
            }
            if to - from < SHORTEST_SHIFT {
                return false;
            }
            self.list.swap(i, i - 1);
            if i - from >= 2 {
                for j in (1..i).rev() {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.list.swap(j, j - 1);
                }
            }
            if to - i >= 2 {
                for j in i + 1..to {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.list.swap(j, j - 1);
                }
            }
        }
        false
    }

    fn choose_pivot(&self, from: usize, to: usize) -> (usize, Hint) {
        const NINTHER: usize = 50;
        const MOST_SWAPS: usize = 12;
        let length = to - from;
        let mut swaps = 0;
        let mut i = from + length / 4;
        let mut j = from + length / 4 * 2;
        let mut k = from + length / 4 * 3;
        if length >= 8 {
            if length >= NINTHER {
                i = self.median(i - 1, i, i + 1, &mut swaps);
                j = self.median(j - 1, j, j + 1, &mut swaps);
                k = self.median(k - 1, k, k + 1, &mut swaps);
            }
            j = self.median(i, j, k, &mut swaps);
        }
        let hint = match swaps {
            0 => Hint::Increasing,
            MOST_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (j, hint)
    }

    fn median(&self, mut a: usize, mut b: usize, mut c: usize, swaps: &mut usize) -> usize {
        let mut order = |x: &mut usize, y: &mut usize| {
            if self.less(*y, *x) {
                std::mem::swap(x, y);
                *swaps += 1;
            }
        };
        order(&mut a, &mut b);
        order(&mut b, &mut c);
        order(&mut a, &mut b);
        b
    }

    fn break_patterns(&mut self, from: usize, to: usize) {
        let length = to - from;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let mask = (1_usize << bit_length(length)) - 1;
        let first = from + length / 4 * 2 - 1;
        for index in first..first + 3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            #[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
            let mut other = random as usize & mask;
            if other >= length {
                other -= length;
            }
            self.list.swap(index, from + other);
        }
    }

    fn heap(&mut self, from: usize, to: usize) {
        let length = to - from;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, from);
        }
        for end in (0..length).rev() {
            self.list.swap(from, from + end);
            self.sift_down(0, end, from);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, from: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(from + child, from + child + 1) {
                child += 1;
            }
            if !self.less(from + root, from + child) {
                return;
            }
            self.list.swap(from + root, from + child);
            root = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_order_ends_sorted_and_short_lists_stay_stable() {
        for length in [0_usize, 1, 5, 12, 13, 49, 50, 51, 200, 1000] {
            for step in [1_usize, 7, 13, 101] {
                let mut list: Vec<(usize, usize)> =
                    (0..length).map(|i| ((i * step) % 17, i)).collect();
                sort_unstable_as_go(&mut list, |a, b| a.0 < b.0);
                assert!(list.is_sorted_by(|a, b| a.0 <= b.0), "{length} {step}");
                if length <= SHORT {
                    assert!(list.is_sorted(), "{length} {step}");
                }
            }
        }
    }
}

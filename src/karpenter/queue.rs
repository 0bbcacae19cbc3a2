//! `Queue`: the order in which pods are tried, and when to stop trying. As `scheduling.Queue`.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::model::resources::{CPU, MEMORY};

use super::batch_pod::BatchPod;

/// Pods that wait for their turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pods: VecDeque<usize>,
    /// How long the queue was when a pod last failed.
    last_length: Vec<Option<usize>>,
}

impl Queue {
    /// All pods: large ones first, then old ones.
    pub(super) fn new(pods: &[BatchPod]) -> Self {
        let mut order: Vec<usize> = (0..pods.len()).collect();
        order.sort_by_key(|place| {
            let pod = &pods[*place];
            let amount = |name| pod.requests.amount(name);
            let meta = &pod.pod.meta;
            (Reverse(amount(CPU)), Reverse(amount(MEMORY)), meta.created, meta.uid.clone())
        });
        Self { pods: order.into(), last_length: vec![None; pods.len()] }
    }

    /// The places of the pods in their order.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> {
        self.pods.iter().copied()
    }

    /// The next pod; `None` when there is none, or when a whole round was in vain.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let next = *self.pods.front()?;
        if self.last_length[next] == Some(self.pods.len()) {
            return None;
        }
        self.pods.pop_front()
    }

    /// Puts a pod that failed at the end.
    pub(super) fn push(&mut self, pod: usize) {
        self.pods.push_back(pod);
        self.last_length[pod] = Some(self.pods.len());
    }

    /// Puts a pod that gave something up at the end: all are worth another try. Before 1.5.
    pub(super) fn push_relaxed(&mut self, pod: usize) {
        self.pods.push_back(pod);
        self.last_length.fill(None);
    }
}

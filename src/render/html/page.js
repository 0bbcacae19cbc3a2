"use strict";
// Tables sort by their headings and filter by what is typed. Without this script they stand as they are.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    const key = cell.dataset.sort ?? cell.textContent.trim();
    return key !== "" && !Number.isNaN(Number(key)) ? Number(key) : key;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const falls = heading.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column)) * (falls ? -1 : 1));
      body.append(...rows);
    });
  });
}
for (const input of document.querySelectorAll("input[data-filters]")) {
  const rows = [...document.getElementById(input.dataset.filters).tBodies[0].rows];
  const count = document.querySelector(`output[data-counts="${input.dataset.filters}"]`);
  input.closest(".tools").hidden = rows.length < 2;
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  input.addEventListener("input", filter);
  filter();
}
for (const link of document.querySelectorAll('a[href^="#pod-"]')) {
  link.addEventListener("click", () => {
    document.querySelector(link.getAttribute("href")).open = true;
  });
}

"use strict";
// Tables sort by their headings, unfold, and can be taken away as CSV.
function sortValue(cell) {
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text.replaceAll(",", ""));
  return text === "" || Number.isNaN(number) ? [1, text] : [0, number];
}

function compareValues(a, b) {
  if (a[0] !== b[0]) return a[0] - b[0];
  return a[0] === 0 ? a[1] - b[1] : a[1].localeCompare(b[1], undefined, { numeric: true });
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.classList.contains("plain")) return;
    const button = element("button", "sort", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      const keyed = rows.map((row) => [sortValue(row.cells[column]), row]);
      keyed.sort((a, b) => (up ? 1 : -1) * compareValues(a[0], b[0]));
      table.tBodies[0].append(...keyed.map(([, row]) => row));
      foldRows(table.closest("[data-table]"));
      announce("sorted by " + button.textContent + (up ? ", ascending" : ", descending"));
    });
  });
}

function foldRows(holder) {
  if (!holder || !holder.dataset.folded) return;
  const limit = Number(holder.dataset.folded);
  const rows = [...holder.querySelector("tbody").rows];
  const open = holder.dataset.open === "yes";
  rows.forEach((row, index) => { row.hidden = !open && index >= limit; });
  const button = holder.querySelector("[data-unfold]");
  button.hidden = rows.length <= limit;
  button.textContent = open ? `Show the first ${limit}` : `Show all ${rows.length.toLocaleString("en")} rows`;
  button.setAttribute("aria-expanded", String(open));
}

function dressTable(holder) {
  const table = holder.querySelector("table");
  makeSortable(table);
  foldRows(holder);
  holder.querySelector("[data-unfold]").addEventListener("click", () => {
    holder.dataset.open = holder.dataset.open === "yes" ? "" : "yes";
    foldRows(holder);
  });
  holder.querySelector("[data-save=csv]").addEventListener("click", () => {
    const heads = [...table.tHead.rows[0].cells];
    const kept = heads.map((head, index) => index).filter((index) => !heads[index].classList.contains("plain"));
    const line = (row) => kept.map((index) => row.cells[index].textContent.trim());
    saveFile(holder.id + ".csv", "text/csv", csvText(line(table.tHead.rows[0]), [...table.tBodies[0].rows].map(line)));
  });
  holder.querySelector("[data-save=markdown]").addEventListener("click", () => {
    const line = (row) => [...row.cells].filter((cell, index) => !table.tHead.rows[0].cells[index].classList.contains("plain"))
      .map((cell) => cell.textContent.trim().replaceAll("|", "\\|"));
    const [head, ...body] = [table.tHead.rows[0], ...table.tBodies[0].rows].map(line);
    const lines = [head, head.map(() => "---"), ...body].map((cells) => "| " + cells.join(" | ") + " |");
    copyText(lines.join("\n") + "\n", "the table as Markdown");
  });
}

for (const holder of document.querySelectorAll("[data-table]")) dressTable(holder);

document.addEventListener("click", ({ target }) => {
  if (target.dataset && target.dataset.copy) copyText(target.dataset.copy, target.textContent.replace("copy", "the"));
});

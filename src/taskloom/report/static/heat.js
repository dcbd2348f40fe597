"use strict";
// Heat maps: a table whose cells are coloured by score, fainter the fewer answers are behind them. Any number of rows
// and columns: sorted as one likes, folded to the first ones. A cell leads to its samples.
const SHADES = [[178, 24, 43], [239, 138, 98], [253, 243, 231], [146, 197, 222], [33, 102, 172]];
const FOLD_ROWS = 24;
const FOLD_COLUMNS = 12;
const FULL = 30;

function shadeOf(value) {
  const place = Math.min(Math.max(value, 0), 1) * (SHADES.length - 1);
  const low = Math.min(Math.floor(place), SHADES.length - 2);
  return SHADES[low].map((from, channel) => Math.round(from + (SHADES[low + 1][channel] - from) * (place - low)));
}

const strengthOf = (n) => 0.15 + 0.85 * Math.min(1, n / FULL);
const lettersOn = (value, strength) => strength < 0.6 ? "var(--ink)" : value < 0.2 || value > 0.85 ? "#fff" : "#1a2029";

function ordered(names, cells, side, how) {
  const places = names.map((_, index) => index);
  if (how === "name") return places.sort((a, b) => names[a].localeCompare(names[b], undefined, { numeric: true }));
  if (how === "given") return places;
  const counts = names.map(() => 0);
  const totals = names.map(() => 0);
  for (const cell of cells) {
    if (cell[2] === null) continue;
    counts[cell[side]] += cell[5];
    totals[cell[side]] += cell[5] * cell[2];
  }
  const key = how === "n" ? (index) => -counts[index]
    : (index) => (how === "low" ? 1 : -1) * (counts[index] ? totals[index] / counts[index] : 2);
  return places.sort((a, b) => key(a) - key(b));
}

function heatCell(data, cell) {
  const [row, column, value, low, high, n, framed] = cell;
  const box = element("td", framed === true ? "framed" : framed === false ? "novel" : "");
  if (value === null) return box;
  const strength = strengthOf(n);
  box.style.background = `rgb(${shadeOf(value).join(" ")} / ${strength})`;
  const button = element("button", "", value.toFixed(2));
  button.type = "button";
  button.style.color = lettersOn(value, strength);
  button.append(element("small", "", "n " + n.toLocaleString("en")));
  const trained = framed === true ? ", fitted to" : framed === false ? ", not fitted to" : "";
  button.title = `${data.rows[row]} × ${data.columns[column]}: ${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], n = ${n}${trained}`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", () => {
    const own = data.run ? [["run", data.run]] : [];
    showSamples(data.samples, [[data.row_name, data.rows[row]], [data.column_name, data.columns[column]], ...own]);
  });
  box.append(button);
  return box;
}

for (const figure of document.querySelectorAll("[data-heat]")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const byPlace = new Map(data.cells.map((cell) => [cell[0] + "," + cell[1], cell]));
  const [sort, fold] = [figure.querySelector("[name=sort]"), figure.querySelector("[data-fold]")];
  const much = data.rows.length > FOLD_ROWS || data.columns.length > FOLD_COLUMNS;
  let open = false;
  const draw = () => {
    const rows = ordered(data.rows, data.cells, 0, sort.value);
    const columns = ordered(data.columns, data.cells, 1, sort.value);
    const [shownRows, shownColumns] = open ? [rows, columns] : [rows.slice(0, FOLD_ROWS), columns.slice(0, FOLD_COLUMNS)];
    const table = element("table", "heat");
    table.append(element("caption", "sr", figure.querySelector("figcaption").textContent));
    const head = table.createTHead().insertRow();
    head.append(element("th", "corner", `${data.row_name} ╲ ${data.column_name}`));
    for (const column of shownColumns) {
      const name = element("th", "", data.columns[column]);
      name.scope = "col";
      head.append(name);
    }
    const body = table.createTBody();
    for (const row of shownRows) {
      const line = body.insertRow();
      const name = element("th", "", data.rows[row]);
      name.scope = "row";
      line.append(name);
      for (const column of shownColumns) {
        const cell = byPlace.get(row + "," + column);
        line.append(cell ? heatCell(data, cell) : element("td", "none"));
      }
    }
    figure.querySelector(".scroll").replaceChildren(table);
    fold.hidden = !much;
    fold.textContent = open ? "Fold" : `Show all ${data.rows.length} × ${data.columns.length}`;
    fold.setAttribute("aria-expanded", String(open));
  };
  sort.addEventListener("change", () => { draw(); remember(figure.id, sort.value, "given"); });
  fold.addEventListener("click", () => { open = !open; draw(); });
  onAddress(figure.id, (value) => {
    if (value !== null && [...sort.options].some((option) => option.value === value)) sort.value = value;
    draw();
  });
  figure.querySelector("[data-save=csv]").addEventListener("click", () => {
    const columns = [data.row_name, data.column_name, "value", "low", "high", "n", "fitted"];
    const rows = data.cells.map((cell) => [data.rows[cell[0]], data.columns[cell[1]], ...cell.slice(2)]);
    saveFile(figure.id + ".csv", "text/csv", csvText(columns, rows));
  });
  figure.querySelector("[data-save=svg]").addEventListener("click", () => {
    saveFile(figure.id + ".svg", "image/svg+xml", heatSvg(figure.querySelector("table")));
  });
  figure.querySelector("[data-save=pdf]").addEventListener("click", () => printAlone(figure));
}

function heatSvg(table) {
  // The table as it stands, sorted and folded, as a drawing of its own.
  const space = "http://www.w3.org/2000/svg";
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const left = 12 + 7 * Math.max(4, ...rows.map((row) => row.cells[0].textContent.length));
  const top = 16 + 5 * Math.max(4, ...heads.map((head) => head.textContent.length));
  const svg = document.createElementNS(space, "svg");
  const add = (tag, values, text) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  };
  heads.forEach((head, place) => add("text", { transform: `translate(${left + 60 * place + 26} ${top - 8}) rotate(-40)` }, head.textContent));
  rows.forEach((row, line) => {
    const y = top + 32 * line;
    add("text", { x: left - 8, y: y + 20, "text-anchor": "end" }, row.cells[0].textContent);
    [...row.cells].slice(1).forEach((cell, place) => {
      const button = cell.querySelector("button");
      if (!button) return;
      const x = left + 60 * place;
      const colour = cell.style.background.match(/[\d.]+/g);
      add("rect", { x, y, width: 58, height: 30, fill: `rgb(${colour.slice(0, 3).join(",")})`, "fill-opacity": colour[3] ?? 1 });
      if (cell.className === "framed") add("rect", { x: x + 2, y: y + 2, width: 54, height: 26, fill: "none", stroke: "#1f2933", "stroke-width": 1.5 });
      add("text", { x: x + 29, y: y + 13, "text-anchor": "middle" }, button.firstChild.textContent);
      add("text", { x: x + 29, y: y + 25, "text-anchor": "middle", "font-size": 8 }, button.lastChild.textContent);
    });
  });
  const [width, height] = [left + 60 * heads.length + 60, top + 32 * rows.length + 8];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  svg.setAttribute("font-size", "11");
  return standalone(svg);
}

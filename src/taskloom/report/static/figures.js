"use strict";
// Figures can be taken away: their data as CSV or as a table, their drawing as SVG, or printed alone (PDF).
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const box = copy.viewBox.baseVal;
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const text = new XMLSerializer().serializeToString(copy);
  return '<?xml version="1.0" encoding="utf-8"?>\n' + text.replace(/var\(--\w+,\s*(#\w+)\)/g, "$1") + "\n";
}

function printAlone(node) {
  const chain = [];
  for (let at = node; at && at !== document.documentElement; at = at.parentElement) chain.push(at);
  document.documentElement.classList.add("alone");
  chain.forEach((at) => at.classList.add("printed"));
  const back = () => {
    document.documentElement.classList.remove("alone");
    chain.forEach((at) => at.classList.remove("printed"));
  };
  addEventListener("afterprint", back, { once: true });
  window.print();
}

function dataTable(data) {
  const holder = element("div", "scroll");
  holder.tabIndex = 0;
  const table = element("table");
  table.append(element("caption", "", data.title));
  const head = table.createTHead().insertRow();
  for (const name of data.columns) head.appendChild(element("th", "", name)).scope = "col";
  const body = table.createTBody();
  for (const row of data.rows) {
    const line = body.insertRow();
    for (const value of row) {
      const number = typeof value === "number";
      const text = value === null ? "–" : number && !Number.isInteger(value) ? value.toFixed(3) : String(value);
      const cell = element("td", number ? "number" : "", text);
      if (number) cell.dataset.value = value;
      line.append(cell);
    }
  }
  holder.append(table);
  makeSortable(table);
  return holder;
}

async function savePicture(figure) {
  // Drawn on a canvas at twice its size; a data address, because the policy of a page lets images be nothing else.
  const text = standalone([...figure.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().width) || figure.querySelector("svg"));
  const image = new Image();
  image.src = "data:image/svg+xml;base64," + btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  await image.decode();
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  const sheet = canvas.getContext("2d");
  sheet.fillStyle = "#ffffff";
  sheet.fillRect(0, 0, canvas.width, canvas.height);
  sheet.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(figure.id + ".png", "image/png", blob));
}

function dressFigure(figure) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const on = (kind, act) => figure.querySelector(`[data-save=${kind}]`).addEventListener("click", act);
  on("csv", () => saveFile(figure.id + ".csv", "text/csv", csvText(data.columns, data.rows)));
  on("svg", () => saveFile(figure.id + ".svg", "image/svg+xml", standalone(figure.querySelector(".wide svg"))));
  on("png", () => savePicture(figure));
  on("pdf", () => printAlone(figure));
  on("table", (event) => {
    const shown = figure.querySelector(".data");
    if (shown) shown.remove();
    else {
      const holder = element("div", "data");
      holder.append(dataTable(data));
      figure.append(holder);
    }
    event.target.setAttribute("aria-expanded", String(!shown));
  });
}

for (const figure of document.querySelectorAll("[data-figure]")) dressFigure(figure);

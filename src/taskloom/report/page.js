"use strict";
// Two small helpers of the page: a chooser that shows one of several drawn figures, and the browser of samples.
// All text goes in through textContent, so whatever a model said stays text.
for (const chooser of document.querySelectorAll("[data-chooser]")) {
  const select = chooser.querySelector("select");
  const panes = chooser.querySelectorAll("[data-pane]");
  const show = () => panes.forEach((pane) => { pane.hidden = pane.dataset.pane !== select.value; });
  select.addEventListener("change", show);
  show();
}
function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
function verdict(output) {
  if (output.state === "errored") return ["odd", "failed"];
  const text = output.score === null ? "–" : Number(output.score.toFixed(2)).toString();
  if (output.state === "truncated") return ["odd", text + " cut"];
  return [output.score >= 1 ? "right" : output.score > 0 ? "odd" : "wrong", text];
}
function drawSample(sample) {
  const node = element("div", "sample");
  const tags = element("div", "tags");
  tags.append(element("span", "tag", sample.task), element("span", "tag", sample.id));
  for (const [name, value] of Object.entries(sample.facets)) {
    tags.append(element("span", "tag", name + " = " + (Array.isArray(value) ? value.join(", ") : value)));
  }
  const outputs = element("div", "outputs");
  for (const output of sample.outputs) {
    const [kind, text] = verdict(output);
    outputs.append(element("span", "verdict " + kind, text), element("span", "note", output.run));
    const said = output.state === "errored" ? output.error : output.extracted === null ? "(unparsed) " + output.raw : output.extracted;
    const cell = element("span", "said", said === "" ? "(nothing)" : said);
    if (output.extracted !== null && output.raw.trim() !== output.extracted) {
      const more = element("details");
      more.append(element("summary", "", "raw output" + (output.length > output.raw.length ? ", first part" : "")), element("pre", "", output.raw));
      cell.append(more);
    }
    outputs.append(cell);
  }
  node.append(tags, element("pre", "", sample.prompt), element("p", "note", "acceptable: " + sample.targets.join("  |  ")), outputs);
  return node;
}
for (const browser of document.querySelectorAll("[data-samples]")) {
  const all = JSON.parse(browser.querySelector("script").textContent);
  const [task, which, search] = ["task", "which", "search"].map((name) => browser.querySelector(`[name=${name}]`));
  const [before, after] = browser.querySelectorAll("button");
  const list = browser.querySelector("[data-list]");
  const count = browser.querySelector("[data-count]");
  let page = 0;
  const size = 5;
  for (const name of [...new Set(all.map((sample) => sample.task))]) task.append(new Option(name, name));
  const tests = {
    all: () => true,
    wrong: (sample) => sample.outputs.some((output) => (output.score ?? 0) < 1),
    right: (sample) => sample.outputs.every((output) => output.score === 1),
    differ: (sample) => new Set(sample.outputs.map((output) => output.score)).size > 1,
    odd: (sample) => sample.outputs.some((output) => output.state !== "scored" || output.extracted === null),
  };
  const draw = () => {
    const needle = search.value.toLowerCase();
    const chosen = all.filter((sample) => (!task.value || sample.task === task.value) && tests[which.value](sample) &&
      (!needle || JSON.stringify(sample).toLowerCase().includes(needle)));
    page = Math.max(0, Math.min(page, Math.ceil(chosen.length / size) - 1));
    const shown = chosen.slice(page * size, page * size + size);
    list.replaceChildren(...shown.map(drawSample));
    count.textContent = chosen.length ? `${page * size + 1}–${page * size + shown.length} of ${chosen.length}` : "none match";
    before.disabled = page === 0;
    after.disabled = (page + 1) * size >= chosen.length;
  };
  for (const control of [task, which, search]) control.addEventListener("input", () => { page = 0; draw(); });
  before.addEventListener("click", () => { page -= 1; draw(); });
  after.addEventListener("click", () => { page += 1; draw(); });
  draw();
}

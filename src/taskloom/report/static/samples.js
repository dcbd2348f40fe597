"use strict";
// The browser of samples. Records lie in packed blocks, exactly as they stand in the logs, and are unpacked when they are
// looked at. All text goes in through textContent, so whatever a model said stays text.
const PER_PAGE = 5;
const KEPT_BLOCKS = 12;
const LONGEST_SHOWN = 20000;
const browsers = new Map();

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const pairOf = (text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];
const readingOf = (record) => (record.headline === "lenient" && record.lenient) || record.strict || {};

function verdict(record) {
  const score = readingOf(record).score ?? null;
  if (record.state === "errored") return ["odd", "failed"];
  const text = score === null ? "–" : Number(score.toFixed(2)).toString();
  if (record.state === "truncated") return ["odd", text + " cut"];
  return [score >= 1 ? "right" : score > 0 ? "odd" : "wrong", score >= 1 ? "✓ " + text : score > 0 ? text : "✗ " + text];
}

function acceptable(targets) {
  const most = (list) => list.length > 12 ? [...list.slice(0, 12), `… ${list.length - 12} more`] : list;
  if (targets.type === "any") return most(targets.answers);
  if (targets.type === "bool") return [(targets.words || ["yes", "no"])[targets.value ? 0 : 1]];
  if (targets.type === "items") return most(targets.alternatives.map((items) => items.join(targets.separator ?? ", ") || (targets.empty ?? "nothing")));
  if (targets.type === "product") return most(targets.slots.map((slot, place) => `${place + 1}: ${most(slot).join(" / ")}`));
  return most(targets.alternatives);
}

function shownPrompt(record) {
  // Marked stretches are the lines an answer needs; places count characters, not the halves of UTF-16.
  const node = element("pre", "prompt");
  const letters = Array.from(record.prompt);
  let at = 0;
  for (const [start, end] of record.marks || []) {
    if (start < at || end > letters.length) continue;
    node.append(letters.slice(at, start).join(""), element("mark", "", letters.slice(start, end).join("")));
    at = end;
  }
  const rest = letters.slice(at);
  node.append(rest.slice(0, LONGEST_SHOWN).join(""));
  if (rest.length > LONGEST_SHOWN) {
    const more = element("button", "", `show ${(rest.length - LONGEST_SHOWN).toLocaleString("en")} more characters`);
    more.addEventListener("click", () => more.replaceWith(rest.slice(LONGEST_SHOWN).join("")));
    node.append(more);
  }
  return node;
}

function answerCard(record, name) {
  const card = element("div", "answer");
  const [kind, text] = verdict(record);
  const head = element("div", "answer-head");
  head.append(element("span", "verdict " + kind, text), element("span", "note", name));
  const reading = readingOf(record);
  const answer = reading.answer ?? null;
  const said = record.state === "errored" ? record.error : answer === null ? "(unparsed) " + record.raw : answer;
  card.append(head, element("p", "said", said === "" ? "(nothing)" : said));
  if (record.raw && record.raw.trim() !== said) {
    const more = element("details");
    const cut = record.raw_length > record.raw.length ? ", first part" : "";
    more.append(element("summary", "", "raw output" + cut), element("pre", "", record.raw));
    card.append(more);
  }
  if (record.reasoning) {
    const thought = element("details");
    thought.append(element("summary", "", "reasoning"), element("pre", "", record.reasoning));
    card.append(thought);
  }
  return card;
}

function drawSample(browser, number, sample) {
  const first = sample.find((record) => record);
  const node = element("article", "sample");
  const tags = element("div", "tags");
  const link = element("a", "permalink", "#" + (number + 1));
  link.href = browser.address ? browser.address(number) : `#${browser.anchor}?${browser.key}-at=${number}`;
  link.setAttribute("aria-label", `link to sample ${number + 1}`);
  tags.append(link, element("span", "tag strong", first.task), element("span", "tag", first.id));
  for (const [name, value] of Object.entries(first.facets || {})) {
    // What an item does not say is no tag; an empty list is "none", as in the tables.
    const shown = Array.isArray(value) ? value.join(", ") || "none" : value;
    if (shown !== null && shown !== "") tags.append(element("span", "tag", name + " = " + shown));
  }
  const prompts = new Map();
  sample.forEach((record, run) => {
    if (!record) return;
    if (!prompts.has(record.prompt)) prompts.set(record.prompt, [record, []]);
    prompts.get(record.prompt)[1].push(browser.data.runs[run]);
  });
  node.append(tags);
  [...prompts.values()].forEach(([record, names], place) => {
    if (place === 0) return node.append(shownPrompt(record));
    const other = element("details");
    other.append(element("summary", "", "as " + names.join(", ") + " was asked"), shownPrompt(record));
    node.append(other);
  });
  const right = element("p", "note", "acceptable: ");
  right.append(element("b", "", acceptable(first.targets).join("  |  ")));
  const answers = element("div", "side-by-side");
  sample.forEach((record, run) => { if (record) answers.append(answerCard(record, browser.data.runs[run])); });
  node.append(right, answers);
  return node;
}

class SampleBrowser {
  constructor(node) {
    this.node = node;
    this.key = node.dataset.samples;
    this.anchor = this.key + "-samples";
    this.data = JSON.parse(node.querySelector("script").textContent);
    this.blocks = [...node.querySelectorAll("[data-chunk]")].map((block) => block.textContent);
    this.open = new Map();
    this.facets = [];
    this.at = 0;
    this.turn = 0;
    [this.task, this.which, this.search] = ["task", "which", "search"].map((name) => node.querySelector(`[name=${name}]`));
    this.data.tasks.forEach((name, index) => this.task.append(new Option(name, String(index))));
    for (const control of [this.task, this.which, this.search]) {
      control.addEventListener("input", () => this.begin());
    }
    for (const button of node.querySelectorAll("[data-step]")) {
      button.addEventListener("click", async () => { this.at += PER_PAGE * Number(button.dataset.step); await this.show(); this.keep(); });
    }
    this.chip = node.querySelector("[data-facet]");
    this.chip.addEventListener("click", () => {
      // What was typed as facet=value goes with it.
      this.search.value = this.search.value.split(/\s+/).filter((word) => !word.includes("=")).join(" ");
      this.facets = [];
      this.begin();
    });
    onAddress(this.key + "-at", () => this.restore());
  }

  begin() {
    this.at = 0;
    this.keep();
    return this.choose();
  }

  keep() {
    // Search, outcome, task, page and cell are in the address, so that what is seen can be sent to another person.
    remember(this.key + "-at", null, null);
    remember(this.key + "-task", this.data.tasks[this.task.value] ?? "", "");
    remember(this.key + "-which", this.which.value, "all");
    remember(this.key + "-search", this.search.value.trim(), "");
    remember(this.key + "-in", this.facets.map((each) => each.join("=")).join("&"), "");
    remember(this.key + "-from", String(this.at), "0");
  }

  restore() {
    const values = readAddress()[1];
    const given = (name) => values.get(this.key + "-" + name);
    const sample = Number(given("at") ?? NaN);
    const only = Number.isInteger(sample) && sample >= 0;
    const place = this.data.tasks.indexOf(given("task") ?? "");
    this.task.value = only || place < 0 ? "" : String(place);
    const which = only ? "all" : given("which") ?? "all";
    this.which.value = [...this.which.options].some((option) => option.value === which) ? which : "all";
    this.search.value = only ? "" : given("search") ?? "";
    this.facets = only ? [] : (given("in") ?? "").split("&").filter((text) => text.includes("=")).map(pairOf);
    const from = Number(given("from") ?? 0);
    this.at = only ? sample : Number.isInteger(from) && from >= 0 ? from : 0;
    return this.choose();
  }

  async block(number) {
    if (!this.open.has(number)) {
      if (this.open.size >= KEPT_BLOCKS) this.open.delete(this.open.keys().next().value);
      this.open.set(number, unpack(this.blocks[number]));
    }
    return this.open.get(number);
  }

  async sample(number) {
    return (await this.block(Math.floor(number / this.data.block)))[number % this.data.block];
  }

  passes(number) {
    if (this.task.value !== "" && this.data.task[number] !== Number(this.task.value)) return false;
    const flags = parseInt(this.data.flags[number], 16);
    return { all: true, wrong: flags & 1, right: flags & 2, differ: flags & 4, odd: flags & 8 }[this.which.value];
  }

  async choose() {
    // Searches look into every block; one that was overtaken by the next letter typed gives up.
    const turn = ++this.turn;
    const typed = this.search.value.trim().split(/\s+/).filter((word) => word);
    const words = typed.filter((word) => !word.includes("=")).map((word) => word.toLowerCase());
    const facets = [...this.facets, ...typed.filter((word) => word.includes("=")).map(pairOf)];
    let chosen = [];
    for (let number = 0; number < this.data.flags.length; number++) if (this.passes(number)) chosen.push(number);
    if (words.length || facets.length) {
      const kept = [];
      for (const number of chosen) {
        const sample = await this.sample(number);
        if (turn !== this.turn) return;
        if (this.fits(sample, words, facets)) kept.push(number);
        if (number % 1000 === 999) this.count(`searching, ${kept.length} found`);
      }
      chosen = kept;
    }
    this.chosen = chosen;
    this.chip.hidden = !facets.length;
    this.chip.textContent = facets.map(([name, value]) => name + " = " + value).join(", ") + "  ✕";
    await this.show();
  }

  fits(sample, words, facets) {
    // A cell of a heat map is one run's: only what that run was asked counts.
    const run = facets.find(([name]) => name === "run");
    const records = sample.filter((record, place) => record && (!run || this.data.runs[place] === run[1]));
    const inFacet = ([name, value]) => name === "run" || records.some((record) => {
      const found = name === "task" ? record.task : name === "cell" ? record.cell : (record.facets || {})[name];
      return Array.isArray(found) ? found.map(String).includes(value) || (!found.length && value === "none") : String(found === true ? "True" : found === false ? "False" : found ?? "–") === value;
    });
    const text = words.length ? JSON.stringify(records).toLowerCase() : "";
    return records.length > 0 && facets.every(([name]) => facets.some((each) => each[0] === name && inFacet(each))) && words.every((word) => text.includes(word));
  }

  count(text) {
    this.node.querySelector("[data-count]").textContent = text;
  }

  async show() {
    const turn = this.turn;
    this.at = Math.max(0, Math.min(this.at, this.chosen.length - 1));
    const shown = this.chosen.slice(this.at, this.at + PER_PAGE);
    const drawn = [];
    for (const number of shown) drawn.push(drawSample(this, number, await this.sample(number)));
    if (turn !== this.turn) return;
    this.node.querySelector("[data-list]").replaceChildren(...drawn);
    const of = (number) => number.toLocaleString("en");
    const total = this.chosen.length === this.data.flags.length ? "" : ` (of ${of(this.data.flags.length)})`;
    this.count(shown.length ? `${of(this.at + 1)}–${of(this.at + shown.length)} of ${of(this.chosen.length)}${total}` : `none match${total}`);
    const [before, after] = this.node.querySelectorAll("[data-step]");
    before.disabled = this.at === 0;
    after.disabled = this.at + PER_PAGE >= this.chosen.length;
  }
}

function showSamples(key, facets) {
  const browser = browsers.get(key);
  if (!browser) return;
  [browser.task.value, browser.which.value, browser.search.value, browser.facets] = ["", "all", "", facets];
  browser.begin();
  document.getElementById(browser.anchor).scrollIntoView();
}

for (const node of document.querySelectorAll("[data-samples]")) browsers.set(node.dataset.samples, new SampleBrowser(node));

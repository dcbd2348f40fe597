"use strict";
// Starting a probe: a model, a suite, a number of questions. The key is sent with a request and kept nowhere in the page.
const ask = document.querySelector("[data-ask]");
const field = (name) => ask.elements[name];
const part = (name) => ask.querySelector(`[data-${name}]`);
const asking = { characters: 0, turn: 0 };

function chosenModel() {
  if (field("kind").value === "address") return { kind: "address", url: field("url").value.trim(), name: field("name").value.trim() };
  const [kind, ...name] = field("found").value.split(":");
  return { kind, name: name.join(":") };
}

function recipe() {
  const changed = [...ask.querySelectorAll("[data-setting]")].filter((input) => input.value !== input.dataset.first);
  return Object.fromEntries(changed.map((input) => [input.dataset.setting, /^-?\d+(\.\d+)?$/.test(input.value) ? Number(input.value) : { true: true, false: false }[input.value] ?? input.value]));
}

function wanted() {
  return { model: chosenModel(), suite: field("suite").value.trim(), seed: Number(field("seed").value) || 0, recipe: recipe(),
    budget: Number(field("budget").value), key: field("kind").value === "address" ? field("key").value : "", run_code: field("code").checked };
}

function cost() {
  const budget = Number(field("budget").value);
  const tokens = Math.round((asking.characters / 4 + 20) * budget / 100) * 100;
  const price = Number(field("price").value);
  const money = price > 0 ? `, about ${(tokens * price / 1e6).toFixed(2)} in your currency` : "";
  part("cost").textContent = asking.characters ? `About ${tokens.toLocaleString("en")} tokens${money}; fewer where everything is proved sooner.` : "";
}

function exampleOf(example) {
  const node = element("div", "answer");
  const text = element("pre", "prompt");
  example.input.split("\n").forEach((line, place) => {
    text.append(example.support.includes(place + 1) ? element("mark", "", line) : line, "\n");
  });
  const shown = element("details");
  shown.append(element("summary", "", "Try it yourself, then show the answer"), element("p", "said", example.answer));
  node.append(element("p", "note", example.definition.slice(0, 400)), text, shown);
  return node;
}

async function examples(keep) {
  const turn = ++asking.turn;
  try {
    const given = wanted();
    const values = new URLSearchParams({ suite: given.suite, seed: given.seed, recipe: JSON.stringify(keep ? given.recipe : {}), code: given.run_code ? 1 : 0 });
    const found = await fetchJSON("/api/examples?" + values);
    if (turn !== asking.turn) return;
    asking.characters = found.characters;
    const several = element("div", "side-by-side");
    several.append(...found.examples.map(exampleOf));
    part("examples").replaceChildren(element("p", "note", `${found.title} ${found.cells ? `${found.cells} combinations to search.` : "No combinations to search: the suite is run, and scored by facet."}`), several);
    if (!keep) {
      part("settings").replaceChildren(...Object.entries(found.recipe).map(([name, value]) => {
        const label = element("label", "", name + " ");
        const input = element("input");
        Object.assign(input, { type: "text", value: String(value) });
        Object.assign(input.dataset, { setting: name, first: String(value) });
        input.addEventListener("change", () => examples(true));
        label.append(input);
        return label;
      }));
    }
    cost();
  } catch (error) {
    if (turn === asking.turn) part("examples").replaceChildren(element("p", "warning", String(error.message)));
  }
}

async function busy(button, work) {
  button.disabled = true;
  part("problem").textContent = "";
  try {
    await work();
  } catch (error) {
    part("problem").textContent = String(error.message);
  } finally {
    button.disabled = false;
  }
}

part("test").addEventListener("click", (event) => busy(event.target, async () => {
  part("tested").replaceChildren(element("p", "note", "asking …"));
  try {
    const found = await post("/api/test", wanted());
    const [kind, sign] = found.score >= 1 ? ["right", "✓"] : found.score === null ? ["odd", "?"] : ["wrong", "✗"];
    const card = element("div", "answer");
    const head = element("div", "answer-head");
    head.append(element("span", "verdict " + kind, sign), element("span", "note", `protocol ${found.protocol}, ${found.seconds.toFixed(1)} s`));
    card.append(head, element("pre", "prompt", found.prompt), element("p", "note", "raw answer"), element("pre", "", found.error || found.raw || "(nothing)"),
      element("p", "note", found.answer === null ? `unparsed${found.why ? ": " + found.why : ""}` : `read as “${found.answer}”; acceptable: ${found.target}`));
    part("tested").replaceChildren(card);
  } catch (error) {
    part("tested").replaceChildren(element("p", "warning", String(error.message)));
  }
}));

ask.addEventListener("submit", (event) => {
  event.preventDefault();
  busy(ask.querySelector(".start"), async () => {
    const job = await post("/api/jobs", wanted());
    announce("started " + job.run);
    await redraw();
    document.getElementById("jobs").scrollIntoView({ block: "nearest" });
  });
});

ask.addEventListener("change", (event) => {
  if (event.target.name === "kind") ask.querySelectorAll("[data-kind]").forEach((node) => { node.hidden = node.dataset.kind !== event.target.value; });
  // Leave to run one file is no leave to run the next.
  if (event.target.name === "suite") field("code").checked = false;
  part("code").hidden = !field("suite").value.trim().endsWith(".py");
  if (["suite", "seed", "code"].includes(event.target.name)) examples(event.target.name === "seed");
  cost();
});

document.addEventListener("click", async (event) => {
  const { stop, continue: goOn, budget } = event.target.dataset;
  if (!stop && !goOn) return;
  const value = stop ? { run: stop } : { run: goOn, key: field("key").value, ...(budget ? { budget: Number(budget) } : {}) };
  await busy(event.target, () => post(stop ? "/api/jobs/stop" : "/api/jobs/continue", value));
  event.target.blur();
  redraw();
});
examples(false);

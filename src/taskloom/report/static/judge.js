"use strict";
// A form: one item at a time, answers kept in this browser, saved as JSONL. All text goes in through textContent.
const form = document.querySelector("[data-judge]");
const given = JSON.parse(form.querySelector("script").textContent);
// Pages of one form share its id: what one rater said is no other's, even in one browser.
const place = "taskloom-form-" + given.id + "-" + location.pathname.split("/").pop();
const kept = readKept();
let current = Math.min(kept.current || 0, given.items.length - 1);
let active = 0; // The question that digits answer.

function readKept() {
  try {
    const found = JSON.parse(localStorage.getItem(place) || "{}");
    return { rater: String(found.rater || ""), answers: found.answers || {}, current: Number(found.current) || 0 };
  } catch {
    return { rater: "", answers: {}, current: 0 };
  }
}

function keep() {
  kept.current = current;
  try {
    localStorage.setItem(place, JSON.stringify(kept));
  } catch {
    announce("this browser keeps nothing: save your answers before you close the page");
  }
}

function open(item) {
  // Remarks may stay empty.
  const own = kept.answers[item.id] || {};
  return item.questions.findIndex((question) => question.name !== "remarks" && !String(own[question.name] || "").trim());
}

function answered(item) {
  return open(item) < 0;
}

function answer(item, question, value) {
  kept.answers[item.id] = { ...kept.answers[item.id], [question.name]: value };
  keep();
}

function textBlock(text) {
  const block = element("div", "text", text.text);
  if (!/examples|definition/i.test(text.title) || given.kind === "instructions") {
    const whole = element("div");
    whole.append(element("h2", "", text.title), block);
    return whole;
  }
  // Comparing, the instruction is read once and then only looked up.
  const folded = element("details");
  folded.open = text.title === "Definition";
  folded.append(element("summary", "", text.title), block);
  return folded;
}

function questionBlock(item, question, number) {
  const own = (kept.answers[item.id] || {})[question.name] || "";
  const block = element("fieldset");
  block.classList.toggle("active", number === active && item.questions.length > 1);
  block.append(element("legend", "", question.prompt));
  if (!question.choices.length) {
    const area = element("textarea");
    area.value = own;
    area.maxLength = 5000;
    area.setAttribute("aria-label", question.prompt);
    area.addEventListener("input", () => { answer(item, question, area.value); progress(); });
    block.append(area);
    return block;
  }
  question.choices.forEach((choice, index) => {
    const button = element("button", "", index + 1 + "  " + choice);
    button.type = "button";
    button.dataset.choice = choice;
    button.setAttribute("aria-pressed", String(choice === own));
    button.addEventListener("click", () => {
      answer(item, question, choice);
      active = Math.max(0, open(item) < 0 ? number : open(item));
      show();
      if (item.questions.length === 1 && current < given.items.length - 1) turn(1);
    });
    block.append(button);
  });
  return block;
}

function progress() {
  const done = given.items.filter(answered).length;
  const all = done === given.items.length ? "all answered: save them" : `${done} answered`;
  form.querySelector("[data-progress]").textContent = `${current + 1} of ${given.items.length}, ${all}`;
}

function show() {
  const item = given.items[current];
  form.querySelector("[data-texts]").replaceChildren(...item.texts.map(textBlock));
  form.querySelector("[data-questions]").replaceChildren(...item.questions.map((q, number) => questionBlock(item, q, number)));
  progress();
  form.querySelector("[data-back]").disabled = current === 0;
  form.querySelector("[data-next]").disabled = current === given.items.length - 1;
}

// Where there is nothing to choose, typing starts at once, on the first page after the rater's name.
function write() {
  const area = form.querySelector("[data-questions] textarea");
  if (area && given.items[current].questions.length === 1 && form.elements.rater.value) area.focus();
}

function turn(step) {
  current = Math.max(0, Math.min(given.items.length - 1, current + step));
  active = Math.max(0, open(given.items[current]));
  keep();
  show();
  form.scrollIntoView();
  write();
}

function saveAnswers() {
  const rater = form.elements.rater.value.trim();
  if (!rater) {
    form.elements.rater.focus();
    announce("please give your name or initials first");
    return;
  }
  const lines = given.items.flatMap((item) => Object.entries(kept.answers[item.id] || {}).map(([question, value]) =>
    JSON.stringify({ form: given.id, rater, item: item.id, question, answer: value })));
  const safe = rater.replace(/[^A-Za-z0-9]+/g, "-");
  saveFile(`answers-${given.id}-${safe}.jsonl`, "application/jsonl", lines.join("\n") + "\n");
}

form.elements.rater.value = kept.rater;
form.elements.rater.addEventListener("input", () => { kept.rater = form.elements.rater.value; keep(); });
form.addEventListener("submit", (event) => event.preventDefault());
form.querySelector("[data-back]").addEventListener("click", () => turn(-1));
form.querySelector("[data-next]").addEventListener("click", () => turn(1));
form.querySelector("[data-save-answers]").addEventListener("click", saveAnswers);
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea")) {
    if (event.key === "Escape") event.target.blur();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) turn(1);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const questions = form.querySelectorAll("[data-questions] fieldset");
  if (event.key === "ArrowLeft") turn(-1);
  else if (event.key === "ArrowRight") turn(1);
  else if (event.key === "s") saveAnswers();
  else if (event.key === "Enter" && event.target === document.body) write();
  else if (/^Arrow(Up|Down)$/.test(event.key) && questions.length > 1) {
    active = Math.max(0, Math.min(questions.length - 1, active + (event.key === "ArrowDown" ? 1 : -1)));
    event.preventDefault();
    show();
    const area = form.querySelector("fieldset.active textarea");
    if (area) area.focus();
  } else if (/^[1-9]$/.test(event.key)) {
    const button = questions[active].querySelectorAll("button")[event.key - 1];
    if (button) button.click();
  }
});
active = Math.max(0, open(given.items[current]));
show();
write();

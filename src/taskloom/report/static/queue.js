"use strict";
// Judging together: the server gives one item at a time, and an answer is on its disk before the next one comes.
const problem = (text) => { document.querySelector("[data-problem]").textContent = text; };
const queue = document.querySelector("[data-queue]");

function queueItem(item) {
  const texts = item.texts.map((text) => {
    const node = element("div");
    node.append(element("h2", "", text.title), element("div", "text", text.text));
    return node;
  });
  const questions = item.questions.map((question) => {
    const node = element("fieldset");
    node.append(element("legend", "", question.prompt));
    if (!question.choices.length) {
      const area = element("textarea");
      Object.assign(area, { name: question.name, maxLength: 5000, required: question.name !== "remarks" });
      area.setAttribute("aria-label", question.prompt);
      node.append(area);
    }
    question.choices.forEach((choice, place) => {
      const label = element("label", "choice");
      const radio = element("input");
      Object.assign(radio, { type: "radio", name: question.name, value: choice, required: true });
      label.append(radio, ` ${place + 1}  ${choice}`);
      node.append(label);
    });
    return node;
  });
  queue.querySelector("[data-texts]").replaceChildren(...texts);
  queue.querySelector("[data-questions]").replaceChildren(...questions);
  const first = queue.querySelector("[data-questions] textarea");
  if (first && item.questions.length === 1) first.focus();
}

async function nextItem() {
  const rater = queue.elements.rater.value.trim();
  if (!rater) return;
  try {
    const found = await fetchJSON("/api/judge/next?" + new URLSearchParams({ form: queue.dataset.queue, rater }));
    queue.current = found.item;
    queue.querySelector("[data-progress]").textContent = `${found.done} judged by you, ${found.left} left for you`;
    queue.querySelector("[data-next]").disabled = !found.item;
    if (found.item) queueItem(found.item);
    else queue.querySelector("[data-texts]").replaceChildren(element("p", "", "Nothing is left for you. Thank you."));
    if (!found.item) queue.querySelector("[data-questions]").replaceChildren();
    problem("");
  } catch (error) {
    problem(String(error.message));
  }
}

if (queue) {
  queue.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!queue.current) return nextItem();
    const answers = Object.fromEntries(queue.current.questions.map((question) => [question.name, queue.elements[question.name].value]));
    try {
      await post("/api/judge", { form: queue.dataset.queue, rater: queue.elements.rater.value, item: queue.current.id, answers });
    } catch (error) {
      return problem(`not saved: ${error.message}; what you chose is still here`);
    }
    return nextItem();
  });
  queue.elements.rater.addEventListener("change", nextItem);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, input[type=text]") || !/^[1-9]$/.test(event.key)) return;
    const open = [...queue.querySelectorAll("[data-questions] fieldset")].find((node) => node.querySelector("[type=radio]") && !node.querySelector(":checked"));
    const radio = open && open.querySelectorAll("[type=radio]")[event.key - 1];
    if (radio) radio.checked = true;
  });
}

for (const form of document.querySelectorAll("[data-new-form]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const runs = [...form.elements.runs.selectedOptions].map((option) => option.value);
    const [tasks, instances] = ["tasks", "instances"].map((name) => Number(form.elements[name].value));
    try {
      await post("/api/judge/new", { runs, kind: form.elements.kind.value, tasks, instances });
      problem("");
      redraw();
    } catch (error) {
      problem(String(error.message));
    }
  });
}

for (const button of document.querySelectorAll("[data-apply]")) {
  button.addEventListener("click", async () => {
    try {
      const found = await post("/api/judge/apply", { form: button.dataset.apply });
      problem(found.said);
    } catch (error) {
      problem(String(error.message));
    }
  });
}

"use strict";
// Pages that follow what the server sees. What is live is drawn by the server and put in place by its id; a page in the
// background lets go of its stream, because a browser opens six to a server at most.
document.body.classList.add("app");
const live = { source: null, version: null, waiting: null, listeners: [], offline: null };

async function fetchJSON(address, options) {
  const answer = await fetch(address, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error([found.error, found.hint].filter((text) => text).join(": ") || `error ${answer.status}`);
  return found;
}

function post(address, value) {
  return fetchJSON(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) });
}

function showOffline(lost) {
  if (!lost && live.offline) {
    live.offline.remove();
    live.offline = null;
    announce("the server is back");
  } else if (lost && !live.offline) {
    live.offline = element("div", "offline", "The server does not answer. This page goes on by itself when it is back.");
    live.offline.setAttribute("role", "alert");
    document.body.append(live.offline);
  }
}

function dress(node) {
  const found = (name) => [...(node.matches(`[data-${name}]`) ? [node] : []), ...node.querySelectorAll(`[data-${name}]`)];
  found("table").forEach(dressTable);
  found("figure").forEach(dressFigure);
  found("chooser").forEach(dressChooser);
}

async function redraw() {
  // Checks that were set and parts that were opened stay as they are.
  const found = document.querySelector("[data-live]") && await fetch(location.href).catch(() => null);
  if (!found || !found.ok) return;
  const fresh = new DOMParser().parseFromString(await found.text(), "text/html");
  const ids = [...document.querySelectorAll("[data-live]")].map((node) => node.id);
  if (ids.join(" ") !== [...fresh.querySelectorAll("[data-live]")].map((node) => node.id).join(" ")) {
    document.querySelector("main").replaceWith(document.adoptNode(fresh.querySelector("main")));
    dress(document.querySelector("main"));
  } else {
    for (const id of ids) {
      const [old, next] = [document.getElementById(id), document.adoptNode(fresh.getElementById(id))];
      if (old.textContent === next.textContent || old.contains(document.activeElement)) continue;
      const checked = new Set([...old.querySelectorAll(":checked")].map((box) => box.dataset.compare));
      next.querySelectorAll("[data-compare]").forEach((box) => { box.checked = checked.has(box.dataset.compare); });
      old.replaceWith(next);
      dress(next);
    }
  }
}

function follow() {
  if (live.source || document.hidden) return;
  clearTimeout(live.waiting);
  live.source = new EventSource("/api/events");
  live.source.addEventListener("open", () => showOffline(false));
  live.source.addEventListener("message", (event) => {
    const before = live.version;
    live.version = event.data;
    if (before === null || before === event.data) return;
    redraw();
    live.listeners.forEach((listener) => listener());
  });
  live.source.addEventListener("error", () => {
    showOffline(true);
    leave();
    live.waiting = setTimeout(follow, 1500);
  });
}

function leave() {
  if (live.source) live.source.close();
  live.source = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? leave() : follow()));
addEventListener("pagehide", leave);
addEventListener("load", follow);

// Two ticked runs can be compared.
const compareBar = document.querySelector("[data-compare-bar]");
function ticked() {
  return [...document.querySelectorAll("[data-compare]:checked")].map((box) => box.dataset.compare);
}
if (compareBar) {
  document.addEventListener("change", (event) => {
    if (!event.target.dataset.compare) return;
    const chosen = ticked();
    compareBar.hidden = !chosen.length;
    compareBar.querySelector("[data-chosen]").textContent = chosen.length === 2 ? chosen.join(" and ")
      : chosen.length < 2 ? `${chosen[0]}: tick a second run` : `${chosen.length} runs: their samples are shown together`;
    compareBar.querySelector("button").textContent = chosen.length > 2 ? "Samples" : "Compare";
    compareBar.querySelector("button").disabled = chosen.length < 2;
  });
  compareBar.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = ticked();
    const values = chosen.length > 2 ? new URLSearchParams(chosen.map((run) => ["run", run])) : new URLSearchParams({ a: chosen[0], b: chosen[1] });
    location.assign((chosen.length > 2 ? "/samples?" : "/compare?") + values);
  });
}

"use strict";
// What the page shows is kept in its address: #anchor?key=value, so that every view can be linked to.
// Values from the address only ever choose among what is there, and all text goes in through textContent.
const state = { listeners: new Map() };

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function announce(text) {
  document.querySelector("[data-status]").textContent = text;
}

function readAddress() {
  const [anchor, query] = location.hash.slice(1).split("?");
  return [anchor, new URLSearchParams(query || "")];
}

function remember(key, value, fallback) {
  const [anchor, values] = readAddress();
  if (value === fallback) values.delete(key);
  else values.set(key, value);
  const query = values.toString();
  // A page inside a notebook has no address of its own.
  if (location.protocol !== "about:") history.replaceState(null, "", "#" + anchor + (query ? "?" + query : ""));
}

function onAddress(key, listener) {
  state.listeners.set(key, listener);
  listener(readAddress()[1].get(key));
}

function goToAnchor() {
  const [anchor, values] = readAddress();
  for (const [key, listener] of state.listeners) listener(values.get(key));
  const target = anchor && document.getElementById(anchor);
  if (!target) return;
  for (let node = target.parentElement; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
    if (node.dataset.pane !== undefined && node.hidden) {
      const select = node.parentElement.querySelector("select");
      select.value = node.dataset.pane;
      select.dispatchEvent(new Event("change"));
    }
  }
  target.scrollIntoView();
}

function saveFile(name, type, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  announce("saved " + name);
}

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    announce("copied " + what);
  } catch {
    // Pages opened as files may not reach the clipboard.
    saveFile("copied.md", "text/markdown", text);
  }
}

function csvText(columns, rows) {
  const cell = (value) => {
    const given = value === null || value === undefined ? "" : String(value);
    // A spreadsheet takes such a text for a formula; core/csv_table.py has the same rule.
    const formula = /^(?:[ \t\r\n\u00a0']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r])/.test(given);
    const number = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?$/.test(given);
    const text = formula && !number ? "'" + given : given;
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

function dressChooser(chooser) {
  const select = chooser.querySelector("select");
  const panes = [...chooser.children].filter((child) => child.dataset.pane !== undefined);
  const show = () => panes.forEach((pane) => { pane.hidden = pane.dataset.pane !== select.value; });
  const first = select.value;
  select.addEventListener("change", () => { show(); remember(chooser.dataset.chooser, select.value, first); });
  onAddress(chooser.dataset.chooser, (value) => {
    if (value !== null && [...select.options].some((option) => option.value === value)) select.value = value;
    show();
  });
}

for (const chooser of document.querySelectorAll("[data-chooser]")) dressChooser(chooser);
for (const link of document.querySelectorAll("[data-here]")) {
  link.addEventListener("click", () => {
    const [, values] = readAddress();
    const query = values.toString();
    link.href = "#" + link.closest("[id]").id + (query ? "?" + query : "");
  });
}

// Colours: as the system has them, light, dark.
const themes = ["", "light", "dark"];
const themeButton = document.querySelector("[data-theme-button]");
if (themeButton) {
  const stored = () => { try { return localStorage.getItem("taskloom-theme") || ""; } catch { return ""; } };
  const dress = (theme) => {
    document.documentElement.dataset.theme = theme;
    themeButton.textContent = { "": "◐", light: "☀", dark: "☾" }[theme];
    themeButton.setAttribute("aria-label", "colours: " + (theme || "as the system has them"));
  };
  dress(themes.includes(stored()) ? stored() : "");
  themeButton.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    dress(next);
    // A browser may refuse storage to files; the choice then holds for this visit.
    try { localStorage.setItem("taskloom-theme", next); } catch { announce("this browser does not keep the choice"); }
  });
}

// The navigation shows where one is.
const navLinks = [...document.querySelectorAll("nav.top .links a[href^='#']")];
if (navLinks.length) {
  const targets = navLinks.map((link) => document.getElementById(link.hash.slice(1)));
  const mark = () => {
    let current = 0;
    targets.forEach((target, index) => { if (target && target.getBoundingClientRect().top < 120) current = index; });
    navLinks.forEach((link, index) => {
      if (index === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
addEventListener("hashchange", goToAnchor);
addEventListener("load", goToAnchor);

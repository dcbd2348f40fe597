"use strict";
// The table of samples: of a million rows only those in sight are drawn, and fetched in blocks. What is shown is in the
// address, so that every view is a link. All text goes in through textContent.
const ROW = 32;
const TALLEST = 15000000; // A browser cannot scroll further than about twice this; longer tables scroll by shares.
const BLOCK = 100;
const KEPT = 60;

class Grid {
  constructor(node) {
    this.node = node;
    const find = (name) => node.querySelector(`[data-${name}]`);
    [this.grid, this.head, this.body, this.rows, this.space, this.detail, this.count, this.groups, this.filters] =
      ["grid", "head", "body", "rows", "space", "detail", "count", "groups", "filters"].map(find);
    this.data = JSON.parse(node.querySelector("script").textContent);
    this.fields = Object.fromEntries(["q", "outcome", "by", "by2", "column", "pair"].map((name) => [name, node.querySelector(`[name=${name}]`)]));
    this.blocks = new Map();
    this.total = 0;
    this.turn = 0;
    this.selected = null;
    this.restore();
    this.listen();
    this.start();
  }

  restore() {
    const given = new URLSearchParams(location.search);
    this.runs = given.getAll("run");
    this.query = given.get("q") || "";
    this.sort = (given.get("sort") || "").split(",").filter((name) => name);
    this.by = (given.get("by") || "").split(",").filter((name) => name);
    this.columns = (given.get("cols") || "").split(",").filter((name) => name);
    this.pair = given.get("pair") === "1" && this.runs.length > 1;
    if (!this.columns.length) this.columns = this.pair ? ["outcome@1", "outcome@2", "task", "expected"] : [...this.data.shown, ...(this.runs.length > 1 ? ["run"] : [])];
    this.wanted = given.has("row") ? Number(given.get("row")) : null;
    this.fields.q.value = this.query;
  }

  address(more) {
    const values = new URLSearchParams();
    this.runs.forEach((run) => values.append("run", run));
    const given = { q: this.query, sort: this.sort.join(","), by: this.by.join(","), cols: this.columns.join(","), pair: this.pair ? "1" : "", ...more };
    for (const [name, value] of Object.entries(given)) if (value !== "" && value !== null && value !== undefined) values.set(name, value);
    return values.toString();
  }

  keep() {
    history.replaceState(null, "", "/samples?" + this.address({ row: this.selected }));
    this.node.querySelector("[data-csv]").href = "/api/csv?" + this.address({});
  }

  listen() {
    let typing = null;
    this.fields.q.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.ask(this.fields.q.value.trim()), 180);
    });
    this.fields.outcome.addEventListener("change", () => this.ask(this.without("outcome", this.fields.outcome.value ? "outcome=" + this.fields.outcome.value : "")));
    for (const name of ["by", "by2"]) {
      this.fields[name].addEventListener("change", () => {
        this.by = [this.fields.by.value, this.fields.by2.value].filter((value, place, all) => value && all.indexOf(value) === place);
        this.keep();
        this.group();
      });
    }
    this.fields.column.addEventListener("change", () => {
      const name = this.fields.column.value;
      this.columns = this.columns.includes(name) ? this.columns.filter((own) => own !== name) : [...this.columns, name];
      this.fields.column.value = "";
      this.begin();
    });
    this.fields.pair.addEventListener("change", () => {
      this.pair = this.fields.pair.checked;
      [this.columns, this.sort, this.by] = [[], [], []];
      this.keep();
      this.restore();
      this.start();
    });
    this.node.querySelector("[data-queue]").addEventListener("click", () => this.ask(this.without("outcome", "outcome=unparsed")));
    this.node.querySelector("[data-differ]").addEventListener("click", () => this.ask(this.without("outcomes", "outcomes=differ")));
    this.body.addEventListener("scroll", () => this.draw(), { passive: true });
    addEventListener("resize", () => this.draw());
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest(".grid-row");
      if (row) this.choose(Number(row.dataset.place));
    });
    document.addEventListener("keydown", (event) => this.key(event));
    live.listeners.push(() => this.begin(true));
  }

  key(event) {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && (event.key.length === 1 || this.grid.contains(event.target))) {
      event.preventDefault();
      this.choose(Math.max(0, Math.min(this.total - 1, (this.at ?? -1) + step)), true);
    } else if (event.key === "/") {
      event.preventDefault();
      this.fields.q.focus();
    }
  }

  // Filters are part of what is typed, so that they can be read, changed and sent on.
  without(name, more) {
    const rest = (this.fields.q.value.match(/[^\s"=<>!]+(?:!=|<=|>=|[=<>])(?:"(?:[^"\\]|\\.)*"|\S*)|"(?:[^"\\]|\\.)*"|\S+/g) || []).filter((word) => !word.startsWith(name + "="));
    return [...rest, more].filter((word) => word).join(" ");
  }

  ask(query) {
    this.query = query;
    this.fields.q.value = query;
    this.begin();
  }

  async start() {
    try {
      const known = await fetchJSON("/api/facets?" + this.address({}));
      for (const name of ["by", "by2", "column"]) {
        const first = this.fields[name].options[0];
        this.fields[name].replaceChildren(first, ...known.columns.map((column) => new Option(column, column)));
      }
      [this.fields.by.value, this.fields.by2.value] = [this.by[0] || "", this.by[1] || ""];
      this.node.querySelector("[data-pair]").hidden = this.runs.length < 2;
      this.node.querySelector("[data-differ]").hidden = !this.pair;
      this.fields.pair.checked = this.pair;
      await this.begin();
      if (this.wanted !== null && Number.isInteger(this.wanted)) this.show(this.wanted);
    } catch (error) {
      this.say(String(error.message));
    }
  }

  begin(same) {
    this.turn += 1;
    if (!same) {
      this.body.scrollTop = 0;
      this.at = null;
    }
    this.stale = this.blocks;
    this.blocks = new Map();
    this.heads();
    this.keep();
    const outcome = /(?:^|\s)outcome=(\S+)/.exec(this.query);
    this.fields.outcome.value = outcome && [...this.fields.outcome.options].some((o) => o.value === outcome[1]) ? outcome[1] : "";
    return Promise.all([this.load(0, this.turn), this.group()]);
  }

  heads() {
    const width = (name) => ({ outcome: "7rem", score: "5rem", task: "minmax(8rem, 12rem)" }[name.split("@")[0]] || "minmax(7rem, 1fr)");
    this.grid.style.setProperty("--columns", ["5rem", ...this.columns.map(width)].join(" "));
    const cells = ["row", ...this.columns].map((name, place) => {
      const head = element("div");
      head.setAttribute("role", "columnheader");
      const own = this.sort.find((key) => key.replace(/^-/, "") === name);
      head.setAttribute("aria-sort", own ? (own.startsWith("-") ? "descending" : "ascending") : "none");
      const button = element("button", "", name + (own ? (own.startsWith("-") ? " ↓" : " ↑") : ""));
      button.type = "button";
      button.title = place ? "sort; with Shift, as a further key" : "the order of the records";
      button.addEventListener("click", (event) => {
        const next = own === undefined ? [name] : own.startsWith("-") ? [] : ["-" + name];
        const rest = event.shiftKey ? this.sort.filter((key) => key.replace(/^-/, "") !== name) : [];
        this.sort = place ? [...rest, ...next].slice(0, 3) : [];
        this.begin();
      });
      head.append(button);
      return head;
    });
    this.head.replaceChildren(...cells);
  }

  async load(block, turn) {
    if (this.blocks.has(block)) return;
    this.blocks.set(block, null);
    try {
      const found = await fetchJSON("/api/rows?" + this.address({ start: block * BLOCK, count: BLOCK }));
      if (turn !== this.turn) return;
      this.blocks.set(block, found);
      if (this.blocks.size > KEPT) this.blocks.delete(this.blocks.keys().next().value);
      this.total = found.total;
      this.progress(found);
      this.draw();
      if (!found.complete) {
        setTimeout(() => { if (turn === this.turn) { this.blocks.delete(block); this.load(block, turn); this.group(); } }, 300);
      }
    } catch (error) {
      if (turn === this.turn) this.say(String(error.message));
    }
  }

  say(text) {
    this.count.textContent = text;
  }

  progress(found) {
    const of = (number) => number.toLocaleString("en");
    const part = found.total === found.all ? "" : ` of ${of(found.all)}`;
    const searched = found.complete ? (found.ended && found.ended !== "all read" ? `; search ${found.ended}, ${of(found.read)} of ${of(found.of)} read` : "")
      : `; searching, ${of(found.read)} of ${of(found.of)} read`;
    this.say(`${of(found.total)}${part} ${this.pair ? "questions" : "records"}${searched}`);
  }

  draw() {
    // Beyond the tallest page the scroll bar stands for a share of the rows.
    const height = this.body.clientHeight;
    const whole = Math.min(TALLEST, this.total * ROW);
    this.space.style.height = whole + "px";
    const seen = Math.ceil(height / ROW);
    const furthest = Math.max(1, whole - height);
    const first = this.total * ROW <= TALLEST ? Math.floor(this.body.scrollTop / ROW) : Math.round((this.body.scrollTop / furthest) * Math.max(0, this.total - seen));
    const shift = this.total * ROW <= TALLEST ? -(this.body.scrollTop % ROW) : 0;
    const last = Math.min(this.total, first + seen + 1);
    for (let block = Math.floor(first / BLOCK); block <= Math.floor((last + BLOCK / 2) / BLOCK); block += 1) if (block * BLOCK < this.total) this.load(block, this.turn);
    const drawn = [];
    for (let place = first; place < last; place += 1) {
      const row = this.row(place);
      // Rows that are not here yet leave the last picture standing instead of a blank one.
      if (!row) return;
      row.style.transform = `translateY(${shift}px)`;
      drawn.push(row);
    }
    this.rows.replaceChildren(...drawn);
    this.grid.setAttribute("aria-rowcount", String(this.total + 1));
  }

  row(place) {
    const number = Math.floor(place / BLOCK);
    const block = this.blocks.get(number) || (this.stale && this.stale.get(number));
    const at = place - number * BLOCK;
    if (!block || block.rows[at] === undefined) return null;
    const node = element("div", "grid-row");
    node.setAttribute("role", "row");
    node.setAttribute("aria-rowindex", String(place + 2));
    node.setAttribute("aria-selected", String(block.rows[at] === this.selected));
    node.dataset.place = String(place);
    node.append(this.cell((place + 1).toLocaleString("en"), "note"));
    for (const name of this.columns) {
      const value = (block.columns[name] || [])[at] ?? null;
      const kind = name.startsWith("outcome") ? (value === "right" ? "right" : value === "wrong" ? "wrong" : "odd") : "";
      const sign = kind === "right" ? "✓ " : kind === "wrong" ? "✗ " : "";
      node.append(this.cell(value === null ? "–" : sign + (typeof value === "number" ? Number(value.toFixed(3)) : String(value).slice(0, 300)), kind));
    }
    return node;
  }

  cell(text, className) {
    const node = element("div", className, text);
    node.setAttribute("role", "gridcell");
    return node;
  }

  choose(place, scroll) {
    if (scroll) {
      const [top, height] = [place * ROW, this.body.clientHeight];
      if (this.total * ROW > TALLEST) this.body.scrollTop = ((place - 3) / this.total) * (TALLEST - height);
      else if (top < this.body.scrollTop || top + ROW > this.body.scrollTop + height) this.body.scrollTop = Math.max(0, top - height / 2);
    }
    this.at = place;
    const block = this.blocks.get(Math.floor(place / BLOCK));
    if (!block) return;
    const row = block.rows[place % BLOCK];
    if (row !== undefined) this.show(row);
  }

  async show(row) {
    this.selected = row;
    this.keep();
    this.draw();
    try {
      const found = await fetchJSON("/api/sample?" + this.address({ row }));
      if (this.selected !== row) return;
      const shown = { data: { runs: found.runs }, address: (number) => "/samples?" + this.address({ row: number }) };
      this.detail.replaceChildren(drawSample(shown, row, found.records));
      announce(`sample ${row + 1}: ${found.records.map((record) => verdict(record)[1]).join(", ")}`);
    } catch (error) {
      this.detail.replaceChildren(element("p", "warning", String(error.message)));
    }
  }

  async group() {
    if (!this.by.length) return this.groups.replaceChildren();
    const turn = this.turn;
    try {
      const found = await fetchJSON("/api/group?" + this.address({ by: this.by.join(",") }));
      if (turn !== this.turn) return undefined;
      const rows = found.groups.map((group) => [...group.names, group.value, group.low, group.high, group.n, group.unscored]);
      const title = `Mean score ${this.pair ? `of ${this.runs[0]} ` : ""}over records, 95 % Wilson intervals, by ${this.by.join(" and ")}`;
      const holder = dataTable({ title, columns: [...this.by, "score", "low", "high", "n", "no score"], rows });
      [...holder.querySelectorAll("tbody tr")].forEach((line, place) => {
        const button = element("button", "chip", line.cells[0].textContent);
        button.type = "button";
        button.addEventListener("click", () => {
          const named = (name, value) => `${name}=` + (/^[^\s"|\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`);
          const words = this.by.map((name, key) => named(name, found.groups[place].names[key]));
          this.ask([this.fields.q.value.trim(), ...words].filter((word) => word).join(" "));
        });
        line.cells[0].replaceChildren(button);
      });
      this.groups.replaceChildren(holder);
    } catch (error) {
      this.groups.replaceChildren(element("p", "warning", String(error.message)));
    }
    return undefined;
  }
}

for (const node of document.querySelectorAll("[data-sample-table]")) new Grid(node);

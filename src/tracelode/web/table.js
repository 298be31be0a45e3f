// What does the picture say to a keyboard and a screen reader? The same tree as a table: all measures side by side.

import { el, shown } from "./dom.js";
import { counted, grouped } from "./numbers.js";

const PAGE = 40; // children shown at once; the rest is counted and one key away

export class Table {
  constructor(model, { select, zoom }) {
    this.model = model;
    this.act = { select, zoom };
    this.open = new Set([0]);
    this.more = new Map();
    this.head = el("tr", { role: "row" });
    this.body = el("tbody");
    this.grid = el(
      "table",
      { class: "frames", role: "treegrid", "aria-label": "Frames" },
      el("thead", {}, this.head),
      this.body,
    );
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.element = el("div", { class: "scroll", tabindex: "-1" }, this.grid);
  }

  columns(view) {
    const { model } = this;
    if (model.mode === "diff") return this.contrast();
    const own = model.at.get(view.key);
    const others = model.columns.filter((c) => !c.hidden && c !== own);
    return [
      { head: view.label, lead: true, cell: (i) => model.text(own, i) },
      { head: "share", cell: (i) => model.share(view, i), bar: (i) => view.width[i] / (view.width[0] || 1) },
      { head: "itself", cell: (i) => model.text(own, i, { own: true }) },
      ...others.map((c) => ({ head: c.word, cell: (i) => model.text(c, i) })),
      ...(model.unpriced(0) ? [{ head: "unpriced tokens", cell: (i) => grouped(model.unpriced(i)) }] : []),
    ];
  }

  contrast() {
    const { model } = this;
    const [base, other] = model.columns;
    const support = model.about.support;
    return [
      { head: "difference", lead: true, cell: (i) => model.netText(i), tone: (i) => model.tone(i) },
      { head: base.word, cell: (i) => model.text(base, i) },
      { head: other.word, cell: (i) => model.text(other, i) },
      { head: "sessions", cell: (i) => (support[i] ? `${support[i][0]} and ${support[i][1]}` : "") },
      { head: "tasks", cell: (i) => (support[i] ? `${support[i][2]}` : "") },
    ];
  }

  draw(view, root, selected) {
    const focused = this.body.contains(document.activeElement);
    this.view = view;
    this.root = root;
    this.selected = selected;
    const columns = this.columns(view);
    this.head.replaceChildren(
      el("th", { role: "columnheader", scope: "col" }, this.model.about.stack || "frame"),
      ...columns.map((c) => el("th", { role: "columnheader", scope: "col", class: "n" }, c.head)),
    );
    this.rows = [];
    this.visit(root, 1, columns);
    this.body.replaceChildren(...this.rows);
    const now = this.row(selected) ?? this.rows[0];
    if (now) now.tabIndex = 0;
    if (focused) now?.focus();
  }

  visit(node, level, columns) {
    const { model, view } = this;
    const children = view.order[node];
    const open = children.length ? this.open.has(node) || node === this.root : undefined;
    this.rows.push(this.line(node, level, open, columns));
    if (!open) return;
    const most = this.more.get(node) ?? PAGE;
    for (const child of children.slice(0, most)) this.visit(child, level + 1, columns);
    const left = children.length - most;
    if (left > 0) this.rows.push(this.further(node, level + 1, left, columns.length));
  }

  line(node, level, open, columns) {
    const { model } = this;
    const mark = el("span", { class: "twist", "aria-hidden": "true" }, open === undefined ? "" : open ? "▾" : "▸");
    const name = el("td", { role: "rowheader", class: `name in-${Math.min(level, 12)}`, title: this.words(node) }, mark, this.words(node));
    const cells = columns.map((c) => this.cell(c, node));
    const row = el(
      "tr",
      {
        role: "row", tabindex: "-1", "aria-level": level, "aria-expanded": open === undefined ? undefined : String(open),
        "aria-selected": node === this.selected ? "true" : "false",
        onclick: () => (node === this.selected || open === undefined ? null : this.toggle(node), this.act.select(node)),
        ondblclick: () => this.act.zoom(node),
      },
      name,
      ...cells,
    );
    row.dataset.node = node;
    mark.addEventListener("click", (event) => (event.stopPropagation(), this.toggle(node), this.redraw()));
    return row;
  }

  words(node) {
    const { model } = this;
    return model.rest[node] ? `${counted(model.rest[node], "frame")} put together` : shown(model.frame(node));
  }

  cell(column, node) {
    const made = el("td", { role: "gridcell", class: `n${column.lead ? " lead" : ""}` }, column.cell(node));
    if (column.tone && column.tone(node) !== "same") made.classList.add(column.tone(node));
    if (column.bar) {
      const bar = el("i", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${Math.max(0, Math.min(1, column.bar(node))) * 44}px`;
      made.prepend(bar);
    }
    return made;
  }

  further(node, level, left, columns) {
    const go = () => {
      this.more.set(node, (this.more.get(node) ?? PAGE) + PAGE * 5);
      this.redraw();
    };
    const button = el("button", { type: "button", class: "link", onclick: go }, `${counted(left, "more frame")}`);
    const cell = el("td", { role: "gridcell", colspan: columns + 1, class: `name in-${Math.min(level, 12)}` }, button);
    return el("tr", { role: "row", "aria-level": level }, cell);
  }

  toggle(node) {
    if (this.open.has(node)) this.open.delete(node);
    else this.open.add(node);
  }

  redraw() {
    this.draw(this.view, this.root, this.selected);
  }

  row(node) {
    return this.rows.find((row) => Number(row.dataset.node ?? -1) === node);
  }

  /** Open everything above a frame, so that it has a row. */
  reveal(node) {
    for (let at = this.model.parent[node]; at > 0; at = this.model.parent[at]) this.open.add(at);
  }

  key(event) {
    const row = event.target.closest("tr");
    if (!row || event.target.tagName === "BUTTON" || event.altKey || event.ctrlKey || event.metaKey) return;
    const node = Number(row.dataset.node);
    const lines = this.rows.filter((r) => r.dataset.node !== undefined);
    const at = lines.indexOf(row);
    const go = (to) => to && (to.focus(), this.act.select(Number(to.dataset.node)));
    const moves = {
      ArrowDown: () => go(lines[at + 1]),
      ArrowUp: () => go(lines[at - 1]),
      Home: () => go(lines[0]),
      End: () => go(lines.at(-1)),
      ArrowRight: () => (row.getAttribute("aria-expanded") === "false" ? (this.toggle(node), this.redraw()) : go(lines[at + 1])),
      ArrowLeft: () =>
        row.getAttribute("aria-expanded") === "true" && node !== this.root
          ? (this.toggle(node), this.redraw())
          : go(this.row(this.model.parent[node])),
      Enter: () => this.act.zoom(node),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  }
}

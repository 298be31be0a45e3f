// What is behind a frame? Its values, and the operations that make them, with file and line.

import { el, shown } from "./dom.js";
import { counted, grouped, valueText } from "./numbers.js";

const LINES = 12;

export class Details {
  constructor(model) {
    this.model = model;
    this.element = el("aside", { class: "details", "aria-label": "The chosen frame" });
  }

  draw(view, node) {
    const { model } = this;
    if (this.node !== node) this.lines = LINES;
    this.node = node;
    this.view = view;
    const path = model.path(node);
    const above = path.slice(0, -1).map((i) => shown(model.frame(i))).join(" › ");
    this.element.replaceChildren(
      el("h2", {}, model.rest[node] ? "Frames put together" : shown(model.frame(node))),
      el("p", { class: "soft path" }, above || (node ? "at the root" : this.size())),
      model.rest[node] ? el("p", {}, `${counted(model.rest[node], "frame")} too small for a file of this size.`) : "",
      this.values(node),
      ...(model.operations ? this.operations(node) : []),
    );
  }

  size() {
    return `${counted(this.model.frames[0], "frame")}, ${counted(this.model.deepest, "level")}`;
  }

  values(node) {
    const { model } = this;
    const rows = model.mode === "diff" ? this.contrast(node) : this.measures(node);
    return el("dl", { class: "values" }, ...rows.flatMap(([word, text, tone]) => [
      el("dt", {}, word),
      el("dd", tone ? { class: tone } : {}, text),
    ]));
  }

  measures(node) {
    const { model } = this;
    return model.columns.filter((c) => !c.hidden).map((c) => {
      const share = node ? model.share({ key: c.key }, node) : "";
      const inner = model.below[node].length && model.text(c, node, { own: true });
      const own = inner && c.own[node] ? `, ${inner} in itself` : "";
      return [c.word, [model.text(c, node, { full: true }), share && share !== "-" ? ` (${share})` : "", own].join("")];
    });
  }

  contrast(node) {
    const { model } = this;
    const [base, other] = model.columns;
    const support = model.about.support[node];
    return [
      ["difference", model.netText(node), model.tone(node)],
      [base.word, model.text(base, node)],
      [other.word, model.text(other, node)],
      ...(support ? [["seen in", `${support[0]} and ${counted(support[1], "session")}, ${counted(support[2], "task")}`]] : []),
      ...(model.tone(node) === "same" && model.net(node) && node ? [["support", "too little to call it different"]] : []),
    ];
  }

  operations(node) {
    const { model, view } = this;
    const { found, all, place } = model.behind(node, view);
    if (!all) return [];
    const unit = model.at.get(model.operations.columns[place])?.unit ?? "count";
    const rows = found.slice(0, this.lines).map((row) => this.operation(row, unit, place));
    const left = found.length - rows.length;
    const more = left > 0 && el("button", { type: "button", class: "link", onclick: () => this.further() }, `${grouped(left)} more`);
    const absent = all - found.length;
    return [
      el("h3", {}, counted(all, "operation"), rows.length < all ? el("span", { class: "soft" }, ", the largest first") : ""),
      el("ol", { class: "operations" }, ...rows),
      more || "",
      absent > 0 ? el("p", { class: "soft" }, `${counted(absent, "smaller operation")} of it ${absent === 1 ? "is" : "are"} not in this file; the store has all.`) : "",
    ];
  }

  further() {
    this.lines += LINES * 8;
    this.draw(this.view, this.node);
  }

  /** What an operation adds; what has no price says so instead of $0. */
  worth(row, unit, place) {
    const { columns } = this.model.operations;
    const lacking = columns[place] === "cost" && row.values[columns.indexOf("tokens.unpriced")];
    if (lacking && !row.values[place]) return `unpriced ${grouped(lacking)} tokens`;
    return valueText(unit, row.values[place]);
  }

  operation(row, unit, place) {
    const key = row.session.length > 13 ? row.session.slice(0, 8) : row.session;
    return el(
      "li",
      {},
      el("b", {}, this.worth(row, unit, place)),
      el("span", {}, `${shown(row.name)} `, el("span", { class: "soft", title: shown(row.session) }, `${shown(key)}#${row.index}`)),
      this.where(row),
    );
  }

  /** File and line; a folder gives way to the name, the whole path is in the title. */
  where({ path, line }) {
    if (!path) return el("code", {}, "no file");
    const at = path.lastIndexOf("/") + 1;
    const name = path.slice(at);
    const short = name.length > 30 ? `${name.slice(0, 13)}…${name.slice(-14)}` : name;
    const place = line ? `:${line}` : "";
    return el("code", { title: shown(path + place) }, el("span", {}, shown(path.slice(0, at))), el("b", {}, shown(short) + place));
  }
}

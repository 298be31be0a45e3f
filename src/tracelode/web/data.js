// What does the embedded data say? Columns of exact integers over a tree of frames.
//
// A column is one text: per frame its own value in order, "." for none, "-" for unknown. BigInt holds money of
// any size exactly; widths are doubles, because they are only drawn.

import { grouped, percent, valueText } from "./numbers.js";

/** @typedef {{key: string, label: string, width: Float64Array, order: Int32Array[]}} View */

export class Model {
  constructor(payload) {
    this.about = payload;
    this.mode = payload.mode;
    this.names = payload.names;
    this.name = Int32Array.from(payload.name);
    this.parent = Int32Array.from(payload.parent);
    this.n = this.name.length;
    this.rest = new Int32Array(this.n); // frames that (other n) stands for
    for (const [node, frames] of payload.rest) this.rest[node] = frames;
    this.scale = BigInt(payload.scale ?? 1);
    this.enough = new Set(payload.enough ?? []);
    this.shape();
    this.columns = payload.columns.map((column) => this.column(column));
    this.at = new Map(this.columns.map((column) => [column.key, column]));
    this.views = this.mode === "diff" ? this.sides() : this.measures();
    this.operations = payload.operations && this.placed(payload.operations);
  }

  shape() {
    this.depth = new Int32Array(this.n);
    this.below = Array.from({ length: this.n }, () => []);
    this.frames = new Int32Array(this.n); // frames of the subtree, those that are summed up included
    for (let i = 1; i < this.n; i += 1) {
      this.depth[i] = this.depth[this.parent[i]] + 1;
      this.below[this.parent[i]].push(i);
    }
    for (let i = this.n - 1; i > 0; i -= 1) {
      this.frames[i] += this.rest[i] || 1;
      this.frames[this.parent[i]] += this.frames[i];
    }
    this.deepest = this.depth.reduce((most, depth) => Math.max(most, depth), 0);
  }

  column({ key, word, unit, values, hidden }) {
    const own = values.split(" ").map((text) => (text === "." ? undefined : text === "-" ? null : BigInt(text)));
    const sum = own.map((value) => value ?? null);
    for (let i = this.n - 1; i > 0; i -= 1) {
      const above = this.parent[i];
      if (sum[i] !== null) sum[above] = (sum[above] ?? 0n) + sum[i];
    }
    if (sum[0] === null && !own.includes(null)) sum[0] = 0n;
    return { key, word, unit, own, sum, hidden: Boolean(hidden) };
  }

  measures() {
    return this.columns
      .filter((column) => !column.hidden)
      .map((column) => this.view(column.key, column.word, (i) => Number(column.sum[i] ?? 0n)));
  }

  sides() {
    const [base, other] = this.columns;
    const [a, b] = [(i) => Number(base.sum[i] ?? 0n), (i) => Number(other.sum[i] ?? 0n)];
    return [
      this.view("both", "both sides", (i) => Math.abs(a(i)) + Math.abs(b(i))),
      this.view("base", base.word, a),
      this.view("other", other.word, b),
    ];
  }

  view(key, label, width) {
    const widths = Float64Array.from({ length: this.n }, (_, i) => width(i));
    const order = this.below.map((nodes) =>
      // what is summed up stands last, whatever its size
      Int32Array.from(nodes).sort((a, b) => !!this.rest[a] - !!this.rest[b] || widths[b] - widths[a] || a - b),
    );
    return { key, label, width: widths, order, texts: new Array(this.n) };
  }

  placed({ columns, rows, sessions, paths, counts }) {
    const at = new Map();
    for (const [node, session, index, name, path, line, ...values] of rows) {
      if (!at.has(node)) at.set(node, []);
      at.get(node).push({ session: sessions[session], index, name, path: paths[path], line, values: values.map(toInteger) });
    }
    return { columns, at, counts: new Map(counts) };
  }

  /** Operations of a frame and of those below it, largest first, and how many there are in all. */
  behind(node, view) {
    const found = [];
    let all = 0;
    const place = Math.max(0, this.operations.columns.indexOf(view.key));
    this.each(node, (i) => {
      all += this.operations.counts.get(i) ?? 0;
      found.push(...(this.operations.at.get(i) ?? []));
    });
    const size = (row) => row.values[place] ?? -1n;
    found.sort((a, b) => (size(a) === size(b) ? 0 : size(a) < size(b) ? 1 : -1));
    return { found, all, place };
  }

  /** Frames come before those below them, so a subtree is a stretch of them. */
  each(node, visit) {
    visit(node);
    for (let i = node + 1; i < this.n && this.depth[i] > this.depth[node]; i += 1) visit(i);
  }

  frame(i) {
    return i ? this.names[this.name[i]] || "(empty)" : "all";
  }

  path(i) {
    const nodes = [];
    for (let at = i; at > 0; at = this.parent[at]) nodes.unshift(at);
    return nodes;
  }

  find(frames) {
    let at = 0;
    for (const frame of frames) {
      at = this.below[at].find((i) => this.frame(i) === frame) ?? -1;
      if (at < 0) return null;
    }
    return at;
  }

  /** Value of a column as people read it; what has no price says so instead of $0. */
  text(column, i, { own = false, full = false } = {}) {
    const value = own ? column.own[i] : column.sum[i];
    if (value === undefined) return valueText(column.unit, 0n);
    const lacking = column.key === "cost" ? this.unpriced(i, own) : 0n;
    const text = valueText(column.unit, value, this.scale);
    if (!lacking) return text;
    if (!full) return value ? `${text}+` : "unpriced";
    const note = `unpriced ${grouped(lacking)} tokens`;
    return value ? `${text} + ${note}` : note;
  }

  /** Tokens without a price. */
  unpriced(i, own = false) {
    const bare = this.at.get("tokens.unpriced");
    return (bare && (own ? bare.own[i] : bare.sum[i])) || 0n;
  }

  net(i) {
    const [base, other] = this.columns;
    return (other.sum[i] ?? 0n) - (base.sum[i] ?? 0n);
  }

  netText(i) {
    return valueText(this.columns[0].unit, this.net(i), this.scale, true);
  }

  /** What a frame's label says beside its name in a view. */
  label(view, i) {
    if (this.mode === "diff" && view.key === "both") return this.netText(i);
    return this.text(this.shown(view), i);
  }

  /** The same in words that need no explanation. */
  words(view, i) {
    return this.mode === "diff" ? this.label(view, i) : this.text(this.shown(view), i, { full: true });
  }

  shown(view) {
    return this.mode === "diff" ? this.columns[view.key === "base" ? 0 : 1] : this.at.get(view.key);
  }

  share(view, i, whole = 0) {
    if (this.mode === "diff" && view.key === "both") return "";
    const { sum } = this.shown(view);
    return percent(sum[i], sum[whole]);
  }

  /** more, less or same: what too few sessions have is not called different. */
  tone(i) {
    const net = this.net(i);
    const enough = i === 0 || this.enough.has(i);
    return !enough || this.rest[i] || net === 0n ? "same" : net > 0n ? "more" : "less";
  }
}

const toInteger = (text) => (text === "-" ? null : BigInt(text));

// The flame viewer: a canvas, a search, a switch of measures, and the same tree as a table. mount() makes one.

import { Details } from "./details.js";
import { Model } from "./data.js";
import { el, shown } from "./dom.js";
import { Layout, ROW } from "./layout.js";
import { keep, read } from "./link.js";
import { counted, grouped, percent } from "./numbers.js";
import { Painter } from "./paint.js";
import { search } from "./search.js";
import { Table } from "./table.js";
import { Tip } from "./tip.js";

const GLIDE = 180; // milliseconds of a zoom
const KEYS = [
  ["← ↑ → ↓", "go to a neighbour, up, down"],
  ["Enter", "zoom to the frame"],
  ["Esc", "zoom out"],
  ["Home", "show all"],
  ["/", "search; n and N: next, previous"],
  ["m", "next measure"],
];

class Flame {
  constructor(host, payload, linked) {
    this.host = host;
    this.linked = linked;
    this.model = new Model(payload);
    this.layout = new Layout(this.model);
    this.view = this.model.views[0];
    this.zoom = this.selected = 0;
    this.hover = null;
    this.found = null;
    this.build();
    this.painter = new Painter(this.canvas, this.model);
    if (linked) this.restore();
    this.listen();
    this.recolour();
    this.resize();
    this.refresh();
  }

  // building ---------------------------------------------------------------------------------------------

  build() {
    const { model } = this;
    this.canvas = el("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-label": model.about.title,
      "aria-description": "Arrow keys go from frame to frame, Enter zooms in, Escape zooms out. The table below holds the same frames.",
    });
    this.stage = el("div", { class: "stage" }, this.canvas);
    this.live = el("p", { class: "unseen", "aria-live": "polite" });
    this.status = el("p", { class: "soft status" });
    this.crumbs = el("nav", { class: "crumbs", "aria-label": "Zoom" });
    this.tip = new Tip(model);
    this.details = new Details(model);
    this.table = new Table(model, { select: (node) => this.select(node), zoom: (node) => this.go(node) });
    this.host.replaceChildren(
      el("div", { class: "tools" }, this.switch(), this.searching()),
      this.crumbs,
      this.stage,
      el("div", { class: "under" }, this.status, this.key(), this.help()),
      el("div", { class: "below" }, this.table.element, this.details.element),
      this.live,
      this.tip.element,
    );
  }

  switch() {
    const { model } = this;
    const name = `measure-${Math.random().toString(36).slice(2)}`;
    const radio = (view) => {
      const input = el("input", { type: "radio", name, value: view.key, onchange: () => this.measure(view) });
      input.checked = view === this.view;
      return el("label", {}, input, el("span", {}, view.label));
    };
    this.radios = el("fieldset", { class: "switch" }, el("legend", { class: "unseen" }, model.mode === "diff" ? "Width" : "Measure"), ...model.views.map(radio));
    return this.radios;
  }

  searching() {
    this.query = el("input", {
      type: "search", placeholder: "Search (regular expression)", "aria-label": "Search frames by a regular expression",
      spellcheck: "false", autocomplete: "off", oninput: () => this.look(), onkeydown: (event) => this.typed(event),
    });
    this.answer = el("output", { class: "soft", "aria-live": "polite" });
    return el("div", { class: "search" }, this.query, this.answer);
  }

  key() {
    if (this.model.mode !== "diff") return "";
    const mark = (tone, words) => el("span", {}, el("i", { class: `mark ${tone}`, "aria-hidden": "true" }), words);
    const [base, other] = this.model.columns;
    return el("p", { class: "legend soft" }, mark("more", `more in ${other.word}`), mark("less", `more in ${base.word}`), mark("same", "alike, or too little support"));
  }

  help() {
    const rows = KEYS.flatMap(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)]);
    return el("details", { class: "keys" }, el("summary", {}, "Keys"), el("dl", {}, ...rows));
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("blur", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.stage);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.recolour());
    document.addEventListener("change", (event) => event.target.name === "theme" && this.recolour());
    if (!this.linked) return;
    window.addEventListener("hashchange", () => (this.restore(), this.refresh()));
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.query.focus();
      }
    });
  }

  // drawing ----------------------------------------------------------------------------------------------

  recolour() {
    this.painter.recolour();
    this.draw();
  }

  resize() {
    const width = Math.max(200, Math.floor(this.stage.clientWidth));
    if (width !== this.width) {
      this.width = width;
      this.layout.fill(this.view, this.zoom, 0, width, width);
      this.tall();
      this.paint();
    }
  }

  /** Room for the whole tree, so that a zoom moves nothing on the page; more only where a zoom needs it. */
  tall() {
    const rows = Math.max(this.layout.rows + 1, this.most ?? 0);
    this.most = rows;
    this.painter.resize(this.width, rows * ROW);
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      this.step(now);
    });
  }

  step(now) {
    const to = { left: 0, wide: this.width };
    const passed = this.glide ? (now - this.glide.start) / GLIDE : 1;
    if (passed < 1) {
      const eased = 1 - (1 - Math.max(0, passed)) ** 3;
      to.left = this.glide.left * (1 - eased);
      to.wide = this.glide.wide + (this.width - this.glide.wide) * eased;
    } else this.glide = null;
    this.layout.fill(this.view, this.zoom, to.left, to.wide, this.width);
    if (this.layout.rows + 1 > this.most) this.tall();
    this.paint();
    if (this.glide) this.draw();
  }

  paint() {
    const focused = document.activeElement === this.canvas;
    this.painter.draw(this.layout, this.view, {
      hover: this.hover,
      selected: focused || this.selected ? this.selected : null,
      zoom: this.zoom,
      matches: this.found?.names.size || this.query.value ? this.found?.names ?? null : null,
    });
  }

  /** Everything beside the picture. */
  refresh() {
    this.table.draw(this.view, this.zoom, this.selected);
    this.details.draw(this.view, this.selected);
    this.path();
    this.draw();
    this.say();
    if (this.linked) keep(this.state());
  }

  path() {
    const { model } = this;
    const nodes = [0, ...model.path(this.zoom)];
    this.crumbs.replaceChildren(
      ...nodes.map((node) =>
        node === this.zoom
          ? el("b", { "aria-current": "true" }, node ? shown(model.frame(node)) : `all ${model.label(this.view, 0)}`)
          : el("button", { type: "button", class: "link", onclick: () => this.go(node) }, shown(model.frame(node))),
      ),
    );
  }

  say() {
    const { model, layout } = this;
    layout.fill(this.view, this.zoom, 0, this.width, this.width);
    const drawn = model.frames[this.zoom] - layout.hidden;
    const parts = [`${counted(drawn, "frame")} drawn`];
    const why = layout.deep ? "too small or too deep" : "too small";
    if (layout.hidden) parts.push(`${grouped(layout.hidden)} ${why}: zoom in, or read them in the table`);
    const nothing = !(this.view.width[this.zoom] > 0);
    this.status.replaceChildren(nothing ? `nothing to draw: ${this.view.label} is ${model.words(this.view, this.zoom)} here` : parts.join("; "));
  }

  // acting -----------------------------------------------------------------------------------------------

  measure(view) {
    this.view = view;
    for (const input of this.radios.querySelectorAll("input")) input.checked = input.value === view.key;
    this.refresh();
    this.look(true);
    this.live.textContent = `${view.label}: ${this.model.words(view, this.selected)}`;
  }

  select(node) {
    this.selected = node;
    this.table.reveal(node);
    this.refresh();
    const { model } = this;
    this.live.textContent = `${model.rest[node] ? counted(model.rest[node], "frame") : shown(model.frame(node))}, ${model.words(this.view, node)} ${model.share(this.view, node)}, level ${model.depth[node]}`;
  }

  /** Zoom to a frame: it grows from where it is to the full width. */
  go(node) {
    const { model, view } = this;
    if (!model.below[node].length && node) node = this.zoom === node ? model.parent[node] : node;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.layout.fill(view, this.zoom, 0, this.width, this.width);
    const at = this.box(node);
    this.glide = calm ? null : at < 0 ? { left: 0, wide: this.width, start: performance.now() } : { left: this.layout.x[at], wide: this.layout.w[at], start: performance.now() };
    this.zoom = node;
    this.select(node);
  }

  box(node) {
    for (let i = 0; i < this.layout.count; i += 1) if (this.layout.node[i] === node && !this.layout.crumb[i]) return i;
    return -1;
  }

  at(event) {
    const place = this.canvas.getBoundingClientRect();
    return this.layout.hit(event.clientX - place.left, event.clientY - place.top);
  }

  point(event) {
    const box = this.at(event);
    const node = box < 0 || this.layout.crumb[box] ? null : this.layout.node[box];
    if (box < 0) this.tip.hide();
    else if (event.pointerType !== "touch") this.tip.show(this.view, this.layout, box, event.clientX, event.clientY);
    this.canvas.style.cursor = box < 0 ? "default" : "pointer";
    if (node !== this.hover) {
      this.hover = node;
      this.draw();
    }
  }

  leave() {
    this.tip.hide();
    this.hover = null;
    this.draw();
  }

  click(event) {
    const box = this.at(event);
    if (box >= 0) this.go(this.layout.node[box]);
    this.tip.hide();
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { model, view, selected } = this;
    const siblings = selected ? view.order[model.parent[selected]] : [0];
    const at = siblings.indexOf(selected);
    const moves = {
      ArrowDown: () => view.order[selected].length && this.select(view.order[selected][0]),
      ArrowUp: () => this.select(model.parent[selected]),
      ArrowRight: () => at + 1 < siblings.length && this.select(siblings[at + 1]),
      ArrowLeft: () => at > 0 && this.select(siblings[at - 1]),
      Enter: () => this.go(selected),
      Escape: () => this.go(this.zoom ? model.parent[this.zoom] : 0),
      Home: () => this.go(0),
      n: () => this.next(1),
      N: () => this.next(-1),
      m: () => this.measure(model.views[(model.views.indexOf(view) + 1) % model.views.length]),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  // searching --------------------------------------------------------------------------------------------

  look(quiet = false) {
    const words = this.query.value;
    this.found = words ? search(this.model, words) : null;
    this.answer.textContent = this.found ? this.told(this.found) : "";
    this.draw();
    if (this.linked && !quiet) keep(this.state());
  }

  told({ nodes, roots, why }) {
    if (why && !nodes.length) return why;
    const { model, view } = this;
    const both = model.mode === "diff" && view.key === "both";
    const column = both ? null : model.shown(view);
    const sum = column && roots.reduce((total, i) => total + (column.sum[i] ?? 0n), 0n);
    const share = column && nodes.length ? ` · ${percent(sum, column.sum[0])}` : "";
    return `${counted(nodes.length, "match").replace("matchs", "matches")}${share}${why ? ` · ${why}` : ""}`;
  }

  typed(event) {
    if (event.key === "Escape") {
      this.query.value = "";
      this.look();
      this.canvas.focus();
    } else if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
  }

  next(step) {
    const nodes = this.found?.nodes ?? [];
    if (!nodes.length) return;
    const at = nodes.indexOf(this.selected);
    this.select(nodes[(at + step + nodes.length) % nodes.length]);
  }

  // the link ---------------------------------------------------------------------------------------------

  state() {
    const { model } = this;
    const frames = (node) => model.path(node).map((i) => model.frame(i));
    return {
      m: this.view === model.views[0] ? "" : this.view.key,
      z: this.zoom ? frames(this.zoom) : "",
      f: this.selected !== this.zoom ? frames(this.selected) : "",
      s: this.query.value,
    };
  }

  restore() {
    const { m, z, f, s } = read(location.hash);
    const { model } = this;
    this.view = model.views.find((view) => view.key === m) ?? model.views[0];
    for (const input of this.radios.querySelectorAll("input")) input.checked = input.value === this.view.key;
    this.zoom = (z && model.find(z)) ?? 0;
    this.selected = (f?.length ? model.find(f) : null) ?? this.zoom;
    this.table.reveal(this.selected);
    this.query.value = s ?? "";
    this.found = s ? search(model, s) : null;
    this.answer.textContent = this.found ? this.told(this.found) : "";
  }
}

/** Make a viewer of the data in a script element, in the element before it. */
export function mount(script, linked) {
  return new Flame(script.previousElementSibling, JSON.parse(script.textContent), linked);
}

document.querySelectorAll("script[data-flame]").forEach((script, place) => mount(script, place === 0));

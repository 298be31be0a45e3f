// How is the picture drawn? One pass over the boxes for fills, one for words; colours come from the style sheet.

import { shown } from "./dom.js";
import { counted } from "./numbers.js";
import { ROW } from "./layout.js";

const FILLS = 16;
const PAD = 6;
const NAMES = ["page", "ink", "soft", "accent", "match", "root", "rest", "crumb", "more", "more-net", "less", "less-net", "same", "same-net"];

export class Painter {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d");
    this.model = model;
    this.widths = new Map();
    this.names = model.names.map((name) => shown(name) || "(empty)");
    // the same name has the same colour in every picture, as in the SVG
    this.hue = model.about.hues;
  }

  /** Read the colours that hold now: a canvas knows no style sheet. */
  recolour() {
    const probe = document.createElement("i");
    this.canvas.parentElement.append(probe);
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    this.colour = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
    this.fills = Array.from({ length: FILLS }, (_, i) => read(`fill-${i}`));
    this.family = getComputedStyle(this.canvas).fontFamily;
    probe.remove();
  }

  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.width = width;
    this.height = height;
  }

  draw(boxes, view, { hover, selected, zoom, matches }) {
    const { ctx, model } = this;
    ctx.clearRect(0, 0, this.width, this.height);
    const above = model.depth[zoom] - boxes.base;
    for (const [colour, list] of this.buckets(boxes, view, matches)) {
      ctx.fillStyle = colour;
      for (const i of list) {
        const x = boxes.x[i] > -1 ? boxes.x[i] : -1;
        ctx.fillRect(x, boxes.row[i] * ROW, this.seen(boxes, i, x), ROW - 1);
      }
    }
    if (model.mode === "diff" && view.key === "both") this.nets(boxes, matches);
    // ancestors of the zoomed frame stand back
    if (above) {
      ctx.globalAlpha = 0.45;
      ctx.fillStyle = this.colour.page;
      ctx.fillRect(0, 0, this.width, above * ROW - 1);
      ctx.globalAlpha = 1;
    }
    this.words(boxes, view, matches);
    this.frame(boxes, hover, 1);
    this.frame(boxes, selected, 2);
  }

  /** Width of what is seen of a box, a little less than it has: neighbours stay apart. */
  seen(boxes, i, x) {
    const end = boxes.x[i] + boxes.w[i];
    const w = (end < this.width + 1 ? end : this.width + 1) - x;
    return w > 4 ? w - 1 : w * 0.8;
  }

  clipped(boxes, i) {
    const x = Math.max(boxes.x[i], -1);
    return [x, this.seen(boxes, i, x)];
  }

  /** Boxes by colour: few changes of colour are what makes thousands of boxes fast. */
  buckets(boxes, view, matches) {
    const found = new Map();
    for (let i = 0; i < boxes.count; i += 1) {
      const colour = this.fill(boxes, i, view, matches);
      const list = found.get(colour);
      if (list) list.push(i);
      else found.set(colour, [i]);
    }
    return found;
  }

  fill(boxes, i, view, matches) {
    const { model, colour } = this;
    const node = boxes.node[i];
    if (boxes.crumb[i]) return colour.crumb;
    if (matches && matches.has(model.name[node]) && node) return colour.match;
    if (matches && node) return colour.rest;
    if (model.mode === "diff") return view.key === "both" ? colour[model.tone(node)] : colour.same;
    if (!node) return colour.root;
    return model.rest[node] ? colour.rest : this.fills[this.hue[model.name[node]]];
  }

  nets(boxes, matches) {
    const { ctx, model } = this;
    for (let i = 0; i < boxes.count; i += 1) {
      const node = boxes.node[i];
      if (boxes.crumb[i] || (matches && node)) continue;
      const [x, w] = this.clipped(boxes, i);
      const both = model.views[0].width[node];
      ctx.fillStyle = this.colour[`${model.tone(node)}-net`];
      ctx.fillRect(x, boxes.row[i] * ROW, both ? (w * Math.abs(Number(model.net(node)))) / both : 0, ROW - 1);
    }
  }

  words(boxes, view, matches) {
    const { ctx } = this;
    ctx.font = `12px ${this.family}`;
    ctx.textBaseline = "middle";
    ctx.fillStyle = this.colour.ink;
    for (let i = 0; i < boxes.count; i += 1) {
      const x = Math.max(boxes.x[i], 0) + PAD;
      const room = Math.min(boxes.x[i] + boxes.w[i], this.width) - x - PAD;
      if (room < 14) continue;
      const y = boxes.row[i] * ROW + ROW / 2;
      if (boxes.crumb[i]) {
        this.crumb(boxes.crumb[i], x, y, room);
        continue;
      }
      this.label(boxes.node[i], view, x, y, room);
    }
  }

  crumb(frames, x, y, room) {
    const words = [`+${counted(frames, "frame")} too small`, `+${frames}`].find((text) => this.extent(text) <= room);
    if (!words) return;
    this.ctx.fillStyle = this.colour.soft;
    this.ctx.fillText(words, x, y);
    this.ctx.fillStyle = this.colour.ink;
  }

  label(node, view, x, y, room) {
    const { ctx, model } = this;
    const name = node ? this.names[model.name[node]] : "all";
    const wide = this.extent(name);
    if (wide > room) {
      const fits = Math.floor((name.length * (room - 8)) / wide);
      if (fits >= 2) ctx.fillText(`${name.slice(0, fits).trimEnd()}…`, x, y, room);
      return;
    }
    ctx.fillText(name, x, y);
    const value = (view.texts[node] ??= [model.label(view, node), model.share(view, node)].filter((text) => text && text !== "-").join("  "));
    const aside = this.extent(value);
    if (wide + aside + 22 > room) return;
    ctx.textAlign = "right";
    ctx.fillText(value, x + room, y);
    ctx.textAlign = "left";
  }

  extent(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      this.ctx.font = `12px ${this.family}`;
      // a very long name is only ever cut, so its width may be estimated
      width = text.length > 400 ? text.length * 6.5 : this.ctx.measureText(text).width;
      if (this.widths.size > 40000) this.widths.clear();
      this.widths.set(text, width);
    }
    return width;
  }

  frame(boxes, node, line) {
    if (node === null || node === undefined) return;
    const { ctx } = this;
    for (let i = 0; i < boxes.count; i += 1) {
      if (boxes.node[i] !== node || boxes.crumb[i]) continue;
      const [x, w] = this.clipped(boxes, i);
      ctx.strokeStyle = this.colour[line > 1 ? "accent" : "ink"];
      ctx.lineWidth = line;
      ctx.strokeRect(x + line / 2, boxes.row[i] * ROW + line / 2, Math.max(1, w - line), ROW - 1 - line);
    }
  }
}

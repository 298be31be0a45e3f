// What is under the pointer? A small text beside it.

import { el, shown } from "./dom.js";
import { counted } from "./numbers.js";

export class Tip {
  constructor(model) {
    this.model = model;
    this.element = el("div", { class: "tip", role: "presentation", hidden: true });
  }

  show(view, boxes, box, x, y) {
    const node = boxes.node[box];
    this.element.replaceChildren(...(boxes.crumb[box] ? this.small(boxes, box) : this.frame(view, node)));
    this.element.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.element;
    const left = Math.max(4, Math.min(x + 14, window.innerWidth - w - 8));
    const top = y + 20 + h > window.innerHeight ? y - h - 12 : y + 20;
    this.element.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(4, top))}px)`;
  }

  hide() {
    this.element.hidden = true;
  }

  small(boxes, box) {
    const above = shown(this.model.frame(boxes.node[box]));
    return [
      el("b", {}, `+${counted(boxes.crumb[box], "frame")} too small to draw`),
      el("span", { class: "soft" }, `below ${above}; click to zoom, or read them in the table`),
    ];
  }

  frame(view, node) {
    const { model } = this;
    const name = model.rest[node] ? `${counted(model.rest[node], "frame")} put together` : shown(model.frame(node));
    const lines = model.mode === "diff" ? this.contrast(node) : this.measures(view, node);
    return [el("b", {}, name), ...lines.map((line) => el("span", {}, line))];
  }

  measures(view, node) {
    const { model } = this;
    const share = model.share(view, node);
    const lead = model.words(view, node);
    const others = model.columns
      .filter((c) => !c.hidden && c.key !== view.key)
      .map((c) => (c.unit === "picodollars" || c.unit === "microseconds" ? model.text(c, node, { full: true }) : `${model.text(c, node)} ${c.word}`));
    return [`${lead}${node && share !== "-" ? `, ${share} of all` : ""}`, others.join(" · ")].filter(Boolean);
  }

  contrast(node) {
    const { model } = this;
    const [base, other] = model.columns;
    const support = model.about.support[node];
    const seen = support ? `${support[0]} and ${counted(support[1], "session")}, ${counted(support[2], "task")}` : "";
    return [model.netText(node), `${base.word} ${model.text(base, node)} · ${other.word} ${model.text(other, node)}`, seen].filter(Boolean);
  }
}

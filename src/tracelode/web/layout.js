// Which frames are drawn, and where? Roots on top, largest left; what is too small is counted, never lost.

export const ROW = 26; // pixels of a row
export const ROWS = 160;
const ABOVE = 8; // ancestors of a zoomed frame that are drawn; the path above the picture has all
const LEAST = 2.5; // pixels from which on a frame is drawn

/**
 * Boxes of a zoomed tree: node, x, width, row, and for frames put together their number.
 * Arrays are made once and filled anew, so that an animation makes no garbage.
 */
export class Layout {
  constructor(model) {
    this.model = model;
    const most = 2 * model.n + 1;
    this.node = new Int32Array(most);
    this.x = new Float64Array(most);
    this.w = new Float64Array(most);
    this.row = new Int32Array(most);
    this.crumb = new Int32Array(most);
    this.waiting = new Int32Array(most);
  }

  /**
   * @param view what widths are
   * @param {number} zoom the frame that is as wide as the picture
   * @param {number} left x of that frame, below 0 while a zoom is under way
   * @param {number} wide its width
   * @param {number} pixels width of the picture
   */
  fill(view, zoom, left, wide, pixels) {
    const { model } = this;
    this.count = 0;
    this.rows = 0;
    this.hidden = 0;
    this.deep = false;
    this.base = Math.max(0, model.depth[zoom] - ABOVE);
    for (const above of [0, ...model.path(zoom)]) {
      const row = model.depth[above] - this.base;
      if (above !== zoom && row >= 0) this.put(above, 0, pixels, row, 0);
    }
    if (!(view.width[zoom] > 0)) {
      this.put(zoom, 0, pixels, model.depth[zoom] - this.base, 0);
      this.hidden = model.frames[zoom] - (zoom ? 1 : 0);
      return this;
    }
    this.put(zoom, left, wide, model.depth[zoom] - this.base, 0);
    const scale = wide / view.width[zoom];
    let top = 0;
    this.waiting[top++] = this.count - 1;
    while (top) {
      const box = this.waiting[--top];
      top = this.children(view, box, scale, pixels, top);
    }
    return this;
  }

  children(view, box, scale, pixels, top) {
    const { model } = this;
    const node = this.node[box];
    const row = this.row[box] + 1;
    let x = this.x[box];
    let small = 0;
    let start = x;
    let end = x;
    for (const child of view.order[node]) {
      const w = view.width[child] * scale;
      if (w >= LEAST && row < ROWS) {
        if (x + w > 0 && x < pixels) {
          this.put(child, x, w, row, 0);
          this.waiting[top++] = this.count - 1;
        }
      } else {
        if (!small) start = x;
        small += model.frames[child];
        this.deep ||= row >= ROWS;
        end = x + w;
      }
      x += w;
    }
    if (small) {
      this.hidden += small;
      if (end - start >= 0.75 && row < ROWS && end > 0 && start < pixels) {
        this.put(node, start, end - start, row, small);
      }
    }
    return top;
  }

  put(node, x, w, row, crumb) {
    const i = this.count++;
    this.node[i] = node;
    this.x[i] = x;
    this.w[i] = w;
    this.row[i] = row;
    this.crumb[i] = crumb;
    if (row > this.rows) this.rows = row;
  }

  /** The box at a place, -1 for none. */
  hit(x, y) {
    const row = Math.floor(y / ROW);
    for (let i = 0; i < this.count; i += 1) {
      if (this.row[i] === row && x >= this.x[i] && x < this.x[i] + this.w[i]) return i;
    }
    return -1;
  }
}

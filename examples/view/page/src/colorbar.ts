// The colour bar, with the shares of NaN and of numbers outside its range.

import { kindText, type Labels } from "./categories";
import { bad, kindColours, lut } from "./colors";
import { css, fitCanvas, h } from "./dom";
import { full } from "./num";
import { ticksOf, type Norm } from "./scales";

export class ColorBar {
  readonly canvas = h("canvas", { class: "colorbar", role: "img" });
  readonly shares = h("ul", { class: "shares", "aria-label": "NaN and values out of range" });
  private last: { map: string; norm: Norm; base: string; whole: boolean; kinds: number[] | null; labels: Labels } | null = null;

  constructor() {
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  show(map: string, norm: Norm | null, base: string, whole: boolean, kinds: number[] | null, labels: Labels, shares: { what: string; text: string }[]) {
    this.last = norm && { map, norm, base, whole, kinds, labels };
    const colour = (what: string) => {
      const t = lut(map), k = what === "above" ? 765 : 0;
      return `rgb(${(what === "NaN" ? bad(map) : [t[k], t[k + 1], t[k + 2]]).join(",")})`;
    };
    this.shares.replaceChildren(...shares.map(({ what, text }) => {
      const swatch = h("span", { class: "patch", "aria-hidden": "true" });
      swatch.style.background = colour(what);
      return h("li", { "data-of": what, title: `${text} of this plane ${what === "NaN" ? "is NaN" : `is ${what} the range`}` }, swatch, `${text} ${what}`);
    }));
    this.redraw();
  }

  redraw() {
    const { g, w, h: hh } = fitCanvas(this.canvas);
    g.clearRect(0, 0, w, hh);
    this.draw(g, w, hh);
  }

  /** draw draws the bar on g, which has w × hh CSS pixels, from top to bottom if it is higher than wide. */
  draw(g: CanvasRenderingContext2D, w: number, hh: number) {
    if (!this.last || w < 8 || hh < 8) {
      delete this.canvas.dataset.range;
      this.canvas.setAttribute("aria-label", "no colours");
      return;
    }
    const { map, norm, base, whole, kinds, labels } = this.last, { lo, hi } = norm, table = lut(map);
    const upright = hh > w;
    this.canvas.setAttribute("aria-label", `colours: ${map} ${kinds ? `of ${kinds.map((x) => kindText(x, labels, base)).join(", ")}` : `from ${full(lo, base)} to ${full(hi, base)}`}`);
    this.canvas.dataset.range = `${full(lo, base)},${full(hi, base)}`;
    const pad = upright ? 8 : 26, thick = 14;
    const long = (upright ? hh : w) - 2 * pad;
    const { ticks, offset } = kinds ? kindTicks(kinds, labels, base, long / (upright ? 14 : 40)) : ticksOf(norm, Math.max(2, long / (upright ? 62 : 72)), base, whole);
    const room = offset && upright ? 30 : 0; // space for the offset, at the top
    const len = long - room;
    const own = kinds && kindColours(kinds);
    for (let i = 0; i < len; i++) {
      const c = hi > lo ? 3 * Math.min(255, Math.floor((256 * (i + 0.5)) / len)) : 3 * 128;
      g.fillStyle = `rgb(${own ? own[Math.floor((own.length * (i + 0.5)) / len)] : table.slice(c, c + 3)})`;
      const more = Math.min(1.5, len - i); // overlap, to avoid seams, except at the end
      if (upright) g.fillRect(6, hh - pad - i - more, thick, more);
      else g.fillRect(pad + i, 4, more, thick);
    }
    g.strokeStyle = css("--rule");
    g.lineWidth = 1;
    if (upright) g.strokeRect(6.5, pad + room + 0.5, thick - 1, len - 1);
    else g.strokeRect(pad + 0.5, 4.5, len - 1, thick - 1);
    g.fillStyle = css("--muted");
    g.font = `11px ${css("--digits")}`;
    g.textBaseline = "middle";
    g.textAlign = "left";
    const texts: string[] = [];
    if (offset) {
      const cut = offset.length > 12 ? Math.ceil(offset.length / 2) : offset.length; // split long offsets into two lines
      if (upright) {
        g.fillText(offset.slice(0, cut), 4, 8);
        g.fillText(offset.slice(cut) + " +", 4, 22);
      } else g.fillText(offset + " +", pad, thick + 29);
    }
    g.textAlign = upright ? "left" : "center";
    for (const t of ticks) {
      const p = t.at * len, text = t.text;
      texts.push(text);
      if (upright) {
        const y = Math.round(hh - pad - p);
        g.fillRect(6 + thick, Math.min(y, hh - pad - 1), 4, 1);
        g.fillText(text, 6 + thick + 8, y);
      } else {
        g.fillRect(Math.round(pad + p), 4 + thick, 1, 4);
        g.fillText(text, pad + p, thick + 17);
      }
    }
    this.canvas.dataset.ticks = texts.join(" "); // for tests
    this.canvas.dataset.offset = offset;
  }
}

// kindTicks returns a tick in the middle of each colour, or of each nth colour if there are more than most.
function kindTicks(kinds: number[], labels: Labels, base: string, most: number) {
  const every = Math.ceil(kinds.length / Math.max(1, most));
  return { ticks: kinds.map((x, i) => ({ at: (i + 0.5) / kinds.length, text: kindText(x, labels, base) })).filter((_, i) => i % every === 0), offset: "" };
}

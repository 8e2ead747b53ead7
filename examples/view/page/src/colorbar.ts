// The colour bar: which colour stands for which number.

import { lut } from "./colors";
import { css, fitCanvas, h } from "./dom";
import { tickText, ticks } from "./num";

export class ColorBar {
  readonly canvas = h("canvas", { class: "colorbar", role: "img" });
  private last: [string, number, number] | null = null;

  constructor() {
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  show(map: string, lo: number | null, hi: number | null) {
    this.last = lo === null || hi === null ? null : [map, lo, hi];
    this.redraw();
  }

  redraw() {
    const { g, w, h: hh } = fitCanvas(this.canvas);
    g.clearRect(0, 0, w, hh);
    if (!this.last || w < 8 || hh < 8) return;
    const [map, lo, hi] = this.last, table = lut(map);
    const upright = hh > w;
    this.canvas.setAttribute("aria-label", `colours: ${map} from ${lo} to ${hi}`);
    this.canvas.dataset.range = `${lo},${hi}`;
    const pad = upright ? 8 : 26, len = (upright ? hh : w) - 2 * pad, thick = 14;
    for (let i = 0; i < len; i++) {
      const c = 3 * Math.min(255, Math.floor((256 * (i + 0.5)) / len));
      g.fillStyle = `rgb(${table[c]},${table[c + 1]},${table[c + 2]})`;
      if (upright) g.fillRect(6, hh - pad - i - 1, thick, 1.5);
      else g.fillRect(pad + i, 4, 1.5, thick);
    }
    g.strokeStyle = css("--rule");
    g.lineWidth = 1;
    if (upright) g.strokeRect(6.5, pad + 0.5, thick - 1, len - 1);
    else g.strokeRect(pad + 0.5, 4.5, len - 1, thick - 1);
    g.fillStyle = css("--muted");
    g.font = `11px ${css("--digits")}`;
    g.textBaseline = "middle";
    g.textAlign = upright ? "left" : "center";
    const at = hi > lo ? ticks(lo, hi, Math.max(2, len / (upright ? 62 : 60))) : [lo];
    const step = at.length > 1 ? at[1] - at[0] : Math.abs(lo) || 1;
    for (const t of at) {
      const p = hi > lo ? ((t - lo) / (hi - lo)) * len : len / 2;
      if (upright) {
        const y = Math.round(hh - pad - p);
        g.fillRect(6 + thick, Math.min(y, hh - pad - 1), 4, 1);
        g.fillText(tickText(t, step), 6 + thick + 8, y);
      } else {
        g.fillRect(Math.round(pad + p), 4 + thick, 1, 4);
        g.fillText(tickText(t, step), pad + p, thick + 17);
      }
    }
  }
}

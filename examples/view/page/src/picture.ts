// A picture of the view, to be saved.

import { css } from "./dom";
import type { App } from "./main";

/** picture draws the view with axes, title and colour bar, at twice the resolution of the screen. */
export function picture(app: App): Promise<Blob | null> {
  const v = app.view, out = document.createElement("canvas"), finer = 2;
  const compose = (parts: HTMLCanvasElement[], legend: string, size: (c: HTMLCanvasElement) => [number, number] = (c) => [c.clientWidth, c.clientHeight]) => {
    const dpr = Math.min(window.devicePixelRatio || 1, 3) * finer, head = 34, foot = 26;
    const w = parts.reduce((sum, c) => sum + size(c)[0], 0), hh = size(parts[0])[1] + head + foot;
    out.width = Math.round(w * dpr);
    out.height = Math.round(hh * dpr);
    const g = out.getContext("2d")!;
    g.scale(dpr, dpr);
    g.fillStyle = css("--paper");
    g.fillRect(0, 0, w, hh);
    let x = 0;
    for (const c of parts) {
      g.drawImage(c, x, head, ...size(c));
      x += size(c)[0];
    }
    g.fillStyle = css("--ink");
    g.textBaseline = "middle";
    g.font = `600 14px ${css("--text")}`;
    const shown = v.mode === "image" ? [v.y, v.x] : [v.lx, v.over];
    g.fillText(`${app.head.title.textContent}  [${v.at.map((i, k) => (shown.includes(k) ? ":" : (v.project.find((p) => p.axis === k)?.op ?? i))).join(", ")}]`, 14, head / 2, w - 28);
    g.fillStyle = css("--muted");
    g.font = `11px ${css("--text")}`;
    g.fillText(legend, 14, hh - foot / 2, w - 28);
  };
  if (v.mode === "image") {
    app.image.print(finer, (map) => {
      app.controls.colours.bar.redraw();
      const bar = !app.controls.colours.bar.canvas.hidden && app.controls.colours.bar.canvas.clientHeight > app.controls.colours.bar.canvas.clientWidth;
      compose(bar ? [map, app.controls.colours.bar.canvas] : [map], [app.foot.note, app.controls.colours.bar.shares.innerText.replace(/\n/g, ", ")].filter(Boolean).join(" · "));
    });
    app.controls.colours.bar.redraw();
  } else {
    const plot = app.lines.print(finer);
    if (!plot) return Promise.resolve(null);
    const each = finer * devicePixelRatio;
    compose([plot], [app.lines.el.querySelector(".offset")?.textContent, app.lines.el.querySelector(".below")?.textContent, app.foot.note].filter(Boolean).join(" · "), (c) => [c.width / each, c.height / each]);
  }
  return new Promise((done) => out.toBlob(done, "image/png"));
}

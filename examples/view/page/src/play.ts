// Playing: shows the frames along an axis in order, with a speed and a range, once or repeatedly.

import { choose, h, icon, icons } from "./dom";
import type { App } from "./main";
import { clamp } from "./num";
import { check, fill, label, number, select, tick } from "./widgets";

const speeds = [1, 2, 5, 10, 15, 30, 60]; // frames per second
const patience = 1500; // maximum time to wait for a frame, in ms

export class Play {
  private running = false;
  private speed = select("frames per second", (v) => this.app.change({ speed: Number(v) }));
  private first = number("first frame to play", (x) => this.app.change({ playFrom: Math.max(0, Math.trunc(x ?? 0)) }));
  private last = number("last frame to play", (x) => this.app.change({ playTo: x === null ? -1 : Math.max(-1, Math.trunc(x)) }));
  private loop = check("repeat", (on) => this.app.change({ loop: on }));
  readonly el = h("details", { class: "play" }, h("summary", {}, "Play"), h("div", { class: "stack" },
    label("frames per second", this.speed), h("div", { class: "pair" }, this.first, h("span", {}, "to"), this.last), this.loop));

  constructor(private app: App) {}

  /** axis is the axis being played, or -1. */
  get axis(): number {
    return this.running ? this.app.sliders.axis : -1;
  }

  stop() {
    this.running = false;
    this.app.image.ahead(null);
  }

  /** range returns the first and the last frame to play on an axis. */
  range(k: number): [number, number] {
    const v = this.app.view, n = this.app.info!.shape[k];
    const last = v.playTo < 0 ? n - 1 : Math.min(v.playTo, n - 1);
    return [clamp(v.playFrom, 0, last), last];
  }

  // after returns the frame to play after i, or -1 if i is the last frame and playing does not repeat.
  private after(k: number, i: number): number {
    const [first, last] = this.range(k);
    if (i < first || i > last) return first;
    return i < last ? i + 1 : this.app.view.loop ? first : -1;
  }

  show() {
    const v = this.app.view, k = this.app.sliders.axis;
    this.el.hidden = k < 0;
    if (k < 0) return;
    const [first, last] = this.range(k), still = !this.app.busy;
    choose(this.speed, speeds.map((s) => [String(s), String(s)]), String(v.speed));
    fill(this.first, first, still);
    fill(this.last, last, still);
    tick(this.loop, v.loop);
  }

  /** mark updates a button to show whether its axis is being played. */
  mark(button: HTMLElement, on: boolean) {
    if (button.getAttribute("aria-pressed") === String(on)) return;
    button.setAttribute("aria-pressed", String(on));
    button.replaceChildren(icon(on ? icons.pause : icons.play));
  }

  /** change selects the next faster or slower speed. */
  change(by: number) {
    const at = speeds.findIndex((s) => s >= this.app.view.speed);
    this.app.change({ speed: speeds[clamp((at < 0 ? speeds.length - 1 : at) + by, 0, speeds.length - 1)] });
  }

  /** toggle starts or stops playing the selected axis. It requests the next frame while the current one is shown. */
  async toggle() {
    this.running = !this.running;
    const { app } = this, id = app.info?.id;
    while (this.running && app.info?.id === id && app.sliders.axis >= 0) {
      const k = app.sliders.axis, next = this.after(k, app.view.at[k]);
      if (next < 0) {
        if (app.view.at[k] !== this.range(k)[1]) break;
        app.sliders.setIndex(k, this.range(k)[0]); // start again from the first frame
        if (this.range(k)[0] === this.range(k)[1]) break;
      } else app.sliders.setIndex(k, next);
      const start = performance.now(), then = this.after(k, app.view.at[k]);
      app.image.ahead(then < 0 ? null : app.view.at.map((i, m) => (m === k ? then : i)));
      do await new Promise((done) => setTimeout(done, Math.min(50, 1000 / app.view.speed)));
      while (this.running && (performance.now() - start < 1000 / app.view.speed - 4 || (app.busy && performance.now() - start < patience)));
      if (then < 0) break;
    }
    this.stop();
    app.refresh();
  }
}

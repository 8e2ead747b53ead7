// The page: the open arrays, the current view, and changes of the file.

import "@fontsource-variable/inter/wght.css";
import "./app.css";
import { Address } from "./address";
import { aborted, changes, getInfo, message, type Info } from "./api";
import { diverging } from "./colors";
import { AxisTexts } from "./axes";
import { Compare } from "./compare";
import { Controls } from "./controls";
import { button, h, icons } from "./dom";
import { Foot } from "./foot";
import { Head } from "./head";
import { ImagePane } from "./image";
import { help, press } from "./keys";
import { LinesPane } from "./lines";
import { group } from "./num";
import type { Cursor, Host } from "./pane";
import { compute, possible, words, type Projection } from "./projections";
import { Saving } from "./saving";
import { scales } from "./scales";
import { SourceList } from "./sources";
import { fit, initial, mapOf, modesOf, type Mode, type View } from "./state";
import { TablePane } from "./table";
import { followTheme } from "./theme";
import { TreePane } from "./tree";
import { xSources, type XSource } from "./xaxis";

const numericKinds = ["bool", "int", "uint", "float", "complex"];

export class App implements Host {
  view: View = initial;
  info: Info | null = null; // the array on screen: origin, or a projection of it
  origin: Info | null = null; // the field of the array in the list
  wanted: Projection[] | null = null; // projections that are being computed
  parents: Info[] = []; // the structured arrays that contain the field
  busy = false;
  lost = false; // the server does not respond
  private described = ""; // the error in a description file that was shown last
  private opening: AbortController | null = null;
  private follow = false;
  private files = 0; // number of earlier files at the path of the array

  readonly texts = new AxisTexts(() => this.refresh());
  readonly image: ImagePane = new ImagePane(this, () => this.controls.colours.showRange());
  readonly lines = new LinesPane(this);
  readonly table = new TablePane(this);
  readonly tree = new TreePane(this);
  private panes = { image: this.image, lines: this.lines, table: this.table, tree: this.tree };
  readonly compare = new Compare(this);
  readonly controls: Controls = new Controls(this);
  readonly sliders = this.controls.sliders;
  readonly sources = new SourceList(this);
  readonly foot = new Foot(this);
  readonly saving = new Saving(this);
  readonly help = help();
  private address = new Address();
  readonly head = new Head(this);

  private banner = h("div", { class: "banner", role: "alert", hidden: true });
  private stage = h("div", { class: "stage" });
  private zoomTools = h("div", { class: "zoom", role: "group", "aria-label": "zoom" },
    button("zoom in", "+", icons.plus, () => this.zoomBy(1.5)), button("zoom out", "−", icons.minus, () => this.zoomBy(1 / 1.5)), button("show all", "0", icons.fit, () => this.fitAll()));
  readonly main = h("main", { "aria-busy": "true" }, this.banner, this.stage);

  get pane() {
    return this.panes[this.view.mode === "auto" ? "table" : this.view.mode];
  }

  async start() {
    followTheme(() => this.rethemed());
    this.build();
    document.addEventListener("keydown", (e) => press(this, e));
    addEventListener("hashchange", () => this.fromAddress());
    addEventListener("resize", () => {
      if (!this.areas().some((e) => isPanel(e) && !e.inert)) this.closeDrawers();
    });
    // A page in the browser's back-forward cache must not keep a connection.
    addEventListener("pagehide", () => this.opening?.abort());
    addEventListener("pageshow", (e) => {
      if (e.persisted) this.fromAddress();
    });
    try {
      await this.sources.start();
    } catch (err) {
      this.alarm(message(err));
      return;
    }
    await this.fromAddress();
  }

  private build() {
    document.body.append(
      this.head.el,
      this.sources.el, this.main, this.controls.el, this.foot.el,
      h("div", { class: "scrim", onclick: () => this.closeDrawers() }),
      this.help, ...this.saving.els);
  }

  /**
   * openDrawer shows the list or the controls and focuses its first control, if it is a side panel, as in narrow windows.
   * The focus cannot leave the panel. It reports whether it is one.
   */
  openDrawer(which: "sources" | "controls"): boolean {
    const { el } = this[which];
    if (!isPanel(el)) return false;
    this.closeDrawers();
    document.body.classList.add(`show-${which}`);
    for (const e of this.areas()) e.inert = e !== el;
    [...el.querySelectorAll<HTMLElement>("button, select, input")].find((e) => e.checkVisibility())?.focus();
    return true;
  }

  private areas(): HTMLElement[] {
    return [this.head.el, this.sources.el, this.main, this.controls.el, this.foot.el];
  }

  /** closeDrawers closes the side panels of narrow windows, and reports whether one was open. */
  closeDrawers(): boolean {
    const list = document.body.classList, open = list.contains("show-sources") || list.contains("show-controls");
    if (!open) return false;
    list.remove("show-sources", "show-controls");
    for (const e of this.areas()) e.inert = false;
    this.pane.focus();
    return true;
  }

  // Sources.

  private async fromAddress() {
    const v = this.address.read();
    const all = this.sources.flat();
    if (!all.some((s) => s.id === v.src && s.kind === "array")) {
      const first = all.find((s) => s.kind === "array" && !s.error) ?? all.find((s) => s.kind === "array");
      if (!first) {
        const bad = all.find((s) => s.error);
        this.alarm(bad ? `${bad.name}: ${bad.error}` : "there is no array to show");
        this.working(false);
        return;
      }
      await this.open({ ...initial, src: first.id });
      return;
    }
    await this.open(v);
  }

  async open(v: View) {
    this.opening?.abort();
    const ctl = (this.opening = new AbortController());
    this.wanted = null;
    this.sliders.play.stop();
    this.point(null);
    this.working(true);
    try {
      const chain: Info[] = [];
      for (let k = 0; k <= v.field.length; k++) chain.push(await getInfo(v.src, v.field.slice(0, k), ctl.signal));
      if (ctl.signal.aborted) return;
      const { field } = chain[chain.length - 1].first;
      if (v.mode === "auto" && field) {
        await this.open({ ...v, field: [...v.field, field] });
        return;
      }
      const origin = chain.pop()!, another = this.origin?.id !== v.src || this.view.field.join("\0") !== v.field.join("\0");
      if (another) this.image.forget();
      this.files = origin.files;
      if (origin.status === "replaced") origin.status = "ok"; // the previous file has not been shown
      this.origin = origin;
      this.parents = chain;
      this.alarm((this.described = ""));
      this.sliders.axis = -1;
      const project = possible(v.project, origin);
      // Only arrays with text, many fields or no rows and columns start as tables. The page shows an index until the
      // projections are computed.
      if (another || project.length === 0) this.display(origin, { ...v, project: [] });
      if (project.length) await this.project(project, ctl);
      if (!ctl.signal.aborted) this.watch(ctl);
    } catch (err) {
      if (aborted(err)) return;
      this.working(false);
      this.head.show(this.sources.flat().find((s) => s.id === v.src)?.name ?? "", "");
      this.alarm(message(err));
      this.sources.mark(v.src);
    }
  }

  // display shows a view of the array a, which is the origin or a projection of it.
  private display(a: Info, v: View) {
    this.info = a;
    this.image.again();
    this.lines.again();
    this.table.again();
    this.view = fit(v, a);
    this.refresh();
  }

  // project computes projections of the origin and shows them. After an error it shows an index instead.
  private async project(wanted: Projection[], ctl: AbortController) {
    const origin = this.origin!;
    this.wanted = wanted;
    this.working(true);
    this.refresh();
    try {
      const a = await compute(origin, this.view.field, wanted, (x) => this.sliders.progress(x), ctl.signal);
      if (ctl.signal.aborted) return;
      this.wanted = null;
      const other = JSON.stringify(wanted) !== JSON.stringify(this.view.project) && this.view.range !== "hand";
      this.display(a, { ...this.view, at: this.sliders.indices(), project: wanted, ...(other ? { lo: null, hi: null } : {}) });
    } catch (err) {
      if (ctl.signal.aborted) return;
      this.wanted = null;
      this.display(origin, { ...this.view, at: this.sliders.indices(), project: [] });
      this.alarm(`${words(wanted)}: ${message(err)}`);
    }
  }

  /** combine shows projections, after computing them. Other projections that are being computed are stopped. */
  combine(project: Projection[]) {
    return this.open({ ...this.view, at: this.sliders.indices(), project });
  }

  /** stop stops the computation of projections. */
  stop() {
    this.combine(this.view.project);
  }

  // watch follows changes of the file.
  private async watch(ctl: AbortController) {
    let failures = 0;
    while (!ctl.signal.aborted) {
      const a = this.origin!;
      try {
        const next = await changes(a.id, this.view.field, a.version, ctl.signal);
        if (failures) {
          this.alarm("");
          this.lost = false;
          this.foot.showLive();
        }
        failures = 0;
        if (!next || ctl.signal.aborted) {
          this.foot.showLive();
          continue;
        }
        const before = a.shape.join();
        const readable = next.dtype !== "", replaced = readable && next.files !== this.files;
        if (readable) this.files = next.files;
        const anew = `another file has replaced ${next.name}: this is the new one`;
        if (replaced && (next.dtype !== a.dtype || next.shape.length !== a.shape.length || this.view.field.length)) {
          await this.open({ ...initial, src: next.id }); // the old view may not fit the new array
          if (this.info?.id === next.id) this.alarm(anew);
          return;
        }
        if (next.status === "replaced") next.status = "ok"; // the page shows the new file from now on
        this.origin = next;
        if (replaced) this.image.forget();
        const v = replaced && this.view.range !== "hand" ? { ...this.view, lo: null, hi: null } : this.view, project = possible(v.project, next);
        if (project.length) {
          await this.project(project, ctl);
          if (ctl.signal.aborted) return;
        } else this.display(next, { ...v, project: readable ? [] : v.project });
        if (next.shape.join() !== before && this.follow) this.jumpToEnd();
        if (replaced) this.alarm(anew);
      } catch (err) {
        if (ctl.signal.aborted) return;
        if (message(err).startsWith("no field")) {
          await this.open({ ...initial, src: a.id });
          return;
        }
        this.lost = true;
        this.foot.showLive();
        if (++failures > 1) this.alarm(`no answer from npyview: ${message(err)}; trying again`);
        await new Promise((done) => setTimeout(done, Math.min(5000, 250 * 2 ** failures)));
      }
    }
  }

  private jumpToEnd() {
    const { info: a, view: v } = this;
    if (!a || !a.shape.length) return;
    const at = [...v.at];
    at[0] = Math.max(0, a.shape[0] - 1);
    this.change({ at, ...(v.mode === "table" && v.tr === 0 ? { row: a.shape[0] } : {}) });
  }

  /** followEnd shows the end of the array, now and whenever it grows. */
  followEnd(on: boolean) {
    this.follow = on;
    if (on) this.jumpToEnd();
  }

  // Host.

  change(patch: Partial<View>) {
    if (!this.info) return;
    const axes = ["y", "x", "lx", "over", "tr", "tc"] as const, own = axes.map((k) => this.view[k]);
    const project = this.view.project.filter((p) => own.includes(p.axis) || !axes.some((k) => patch[k] === p.axis));
    if (project.length < this.view.project.length) { // the axis of a projection has been chosen to be shown
      this.view = { ...this.view, ...patch };
      this.combine(project);
      return;
    }
    if (this.info.status === "ok" && Object.keys(patch).some((k) => k !== "lo" && k !== "hi")) this.alarm("");
    let next = { ...this.view, ...patch };
    if ("part" in patch && this.view.map === mapOf(this.view.part)) next.map = mapOf(next.part);
    const other = (["y", "x", "part", "range", "plo", "phi", "other", "compare"] as const).some((k) => k in patch && patch[k] !== this.view[k]) ||
      ("map" in patch && diverging(patch.map!) !== diverging(this.view.map)) || ("perFrame" in patch && patch.perFrame !== this.view.perFrame);
    if (other && next.range !== "hand") next = { ...next, lo: null, hi: null };
    this.view = fit(next, this.info);
    this.refresh();
  }

  xSources(): XSource[] {
    const { view: v, info: a } = this;
    return a && v.lx >= 0 ? xSources(this.origin!, a.shape[v.lx], v.field, this.parents[this.parents.length - 1] ?? null, this.sources.flat()) : [];
  }

  along(): XSource | null {
    const key = this.view.along ?? (this.info?.first.against ? "." + this.info.first.against : "");
    return key ? (this.xSources().find((s) => s.key === key) ?? null) : null;
  }

  point(c: Cursor | null) {
    this.foot.point(c);
    this.compare.second?.pane.follow(this.image.cursor);
  }

  note(text: string) {
    this.foot.note = text + this.compare.words();
  }

  fail(err: unknown) {
    if (message(err) === "no array has this id" && this.view.project.length && !this.wanted) this.combine(this.view.project); // the projection was removed
    else if (this.info?.status === "ok") this.alarm(message(err)); // otherwise the banner shows the reason
  }

  working(on: boolean) {
    this.busy = on || this.wanted !== null;
    this.main.setAttribute("aria-busy", String(this.busy));
  }

  private alarm(text: string) {
    const name = `${this.head.title.textContent}: `; // the head shows it
    if (text.startsWith(name)) text = text.slice(name.length);
    this.banner.textContent = text;
    this.banner.hidden = text === "";
  }

  // The page.

  refresh() {
    const { view: v, info: a } = this;
    if (!a) return;
    const broken = a.status === "error" && a.dtype === "";
    document.body.classList.toggle("broken", broken);
    if (broken) {
      this.showBroken(a);
      return;
    }
    const shown = v.mode === "image" ? this.compare.pair : this.pane.el;
    if (this.stage.firstChild !== shown) {
      const { bar } = this.controls.colours;
      for (const p of Object.values(this.panes)) if (p !== this.pane) p.hide();
      this.stage.replaceChildren(shown, ...(v.mode === "table" || v.mode === "tree" ? [] : [h("div", { class: "side" }, v.mode === "image" && bar.canvas, v.mode === "image" && bar.shares, this.zoomTools)]));
      this.foot.clear();
    }
    this.stage.dataset.mode = v.mode;
    const what = a.kind === "struct" ? `${a.fields?.length ?? 0} fields` : (a.objects ?? a.dtype);
    this.head.show(a.name + v.field.map((f) => ` · ${f}`).join("") + (v.project.length ? ` · ${words(v.project)}` : ""), `${what} (${a.shape.map(group).join(", ")}${a.shape.length === 1 ? "," : ""})${a.unit && ` · ${a.unit}`}`);
    this.head.choose(v.mode, this.numericField() === null ? modesOf(a) : ["image", "lines", "table"]);
    document.title = `${a.name} · npyview`;
    this.sources.mark(v.src);
    if (a.status !== "ok") this.alarm(statusText(a));
    else if (a.described && a.described !== this.described) this.alarm((this.described = a.described));
    else if (this.banner.dataset.status && this.banner.dataset.status !== "ok") this.alarm("");
    this.banner.dataset.status = a.status;
    this.foot.showLive();
    this.foot.follow();
    this.foot.showPlace();
    this.controls.show(a);
    this.pane.show();
    this.address.write(this.wanted ? { ...v, project: this.wanted } : v);
  }

  // showBroken shows why an array cannot be shown.
  private showBroken(a: Info) {
    for (const p of Object.values(this.panes)) p.hide();
    this.controls.colours.histogram.hide();
    this.stage.replaceChildren(h("p", { class: "empty" }, `This array cannot be shown: ${a.message ?? "it cannot be read"}`));
    this.stage.dataset.mode = "none";
    this.head.show(a.name, "");
    this.head.choose("", []);
    document.title = `${a.name} · npyview`;
    this.sources.mark(a.id);
    this.alarm("");
    this.banner.dataset.status = a.status;
    this.foot.clear();
    this.note("");
    this.foot.showLive();
    this.address.write(this.view);
    this.working(false);
  }

  /** rgb reports whether the elements on screen are colours themselves. */
  rgb(): boolean {
    const { view: v, info: a } = this;
    return a !== null && a.rgb && v.rgb && v.mode === "image";
  }

  private numericField(): string | null {
    const a = this.info;
    return a?.kind === "struct" ? a.first.field || (a.fields?.find((f) => numericKinds.includes(f.kind))?.name ?? null) : null;
  }

  /** rethemed redraws with the colours of the theme. */
  rethemed() {
    if (!this.info) return;
    this.lines.retheme();
    this.refresh();
    this.controls.colours.bar.redraw();
    this.controls.distribution.draw();
  }

  setMode(m: Mode) {
    const a = this.info;
    if (!a || !this.head.can(m)) return;
    const f = this.numericField();
    if ((m === "image" || m === "lines") && a.kind === "struct" && f !== null) this.open({ ...initial, src: a.id, field: [...this.view.field, f], mode: m });
    else this.change({ mode: m });
  }

  pin(at: number[]) {
    if (this.view.over >= 0) return;
    const same = this.view.pins.some((p) => p.join() === at.join());
    if (!same) this.change({ pins: [...this.view.pins, at].slice(-7) });
  }

  /** nextScale selects the next scale of the colours, or of y in lines. */
  nextScale() {
    const { view: v } = this, k = v.mode === "lines" ? "scaleY" : "scale", of = scales.map(([s]) => s);
    this.change({ [k]: of[(of.indexOf(v[k]) + 1) % of.length] });
  }

  /** corner begins or completes a box or a line at the cursor. */
  corner(kind: "box" | "line") {
    if (this.view.mode === "image") this.image.corner(kind);
  }

  /** keepLine keeps the current line. In the image, it shows and keeps the line through the cursor. */
  keepLine() {
    const { view: v } = this, { cursor } = this.foot;
    if (v.mode === "image" && cursor) this.change({ mode: "lines", at: cursor.at, pins: [...v.pins, cursor.at].slice(-7), over: -1 });
    else if (v.mode === "lines") this.pin(v.at);
  }

  private zoomBy(f: number) {
    if (this.view.mode === "image") this.image.zoom(f);
    else this.lines.key(new KeyboardEvent("keydown", { key: f > 1 ? "+" : "-" }));
  }

  private fitAll() {
    if (this.view.mode === "image") this.image.fit();
    else this.lines.fit();
  }
}

// isPanel reports whether an area of the page is a side panel, as in narrow windows.
function isPanel(el: HTMLElement): boolean {
  return getComputedStyle(el).position === "fixed";
}

function statusText(a: Info): string {
  const text: Record<string, string> = {
    truncated: "the file was cut short: the elements beyond its end are gone",
    gone: "the file is gone: the page shows its previous content",
    error: "the file cannot be read",
  };
  const what = text[a.status] ?? a.status;
  return a.message ? `${what} (${a.message})` : what;
}

new App().start();

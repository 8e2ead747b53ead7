// The page: what is open, which view of it is shown, and the controls around it.

import "@fontsource-variable/inter/wght.css";
import "./app.css";
import { aborted, arrayPath, ask, changes, getInfo, getJSON, message, query, type Info, type Source } from "./api";
import { ColorBar } from "./colorbar";
import { diverging, maps } from "./colors";
import { Distribution } from "./distribution";
import { button, choose, css, h, icon, icons } from "./dom";
import { help } from "./help";
import { brightest, ImagePane } from "./image";
import { LinesPane } from "./lines";
import { bytes, clamp, full, group, near, num, read } from "./num";
import type { Cursor, Host } from "./pane";
import { fit, format, initial, mapOf, maxLines, parse, sel, thread, type Mode, type RangeMode, type View } from "./state";
import { TablePane } from "./table";
import { cells, csv, tsv, type Part } from "./text";
import { xSources, type XSource } from "./xaxis";

const numericKinds = ["bool", "int", "uint", "float", "complex"];

class App implements Host {
  view: View = initial;
  info: Info | null = null;
  private parents: Info[] = []; // of the structured arrays that the field is in
  private sources: Source[] = [];
  private opening: AbortController | null = null;
  private pointing: { ctl: AbortController | null; next: Cursor | null } = { ctl: null, next: null };
  private cursor: Cursor | null = null;
  private axis = -1; // whose slider the keys move
  private playing = false;
  private follow = false;
  private busy = false;
  private saved = 0;
  private step = ""; // what is in the last step of the history
  private files = 0; // that were at the path before the one that is shown
  private lost = false; // the server does not answer
  private address = ""; // what was last read from the address bar, or written there

  private image: ImagePane = new ImagePane(this, () => this.showRange());
  private lines = new LinesPane(this);
  private table = new TablePane(this);
  private distribution = new Distribution(this, () => this.pane);
  private colorbar = new ColorBar();
  private help = help();

  private title = h("h1", {});
  private dtype = h("span", { class: "dtype" });
  private tabs = (["image", "lines", "table"] as Mode[]).map((m) =>
    h("button", { type: "button", role: "tab", "data-mode": m, title: `${m} (${m === "table" ? "b" : m[0]})`, onclick: () => this.setMode(m) }, m[0].toUpperCase() + m.slice(1)));
  private search = h("input", { type: "search", "aria-label": "search the list", placeholder: "search", oninput: () => this.filter() });
  private list = h("ul", {});
  private nav = h("nav", { class: "sources", "aria-label": "what is open" }, h("h2", {}, "Open"), this.search, this.list);
  private aside = h("aside", { class: "controls", "aria-label": "view" });
  private banner = h("div", { class: "banner", role: "alert", hidden: true });
  private stage = h("div", { class: "stage" });
  private zoomTools = h("div", { class: "zoom", role: "group", "aria-label": "zoom" },
    button("zoom in", "+", icons.plus, () => this.zoomBy(1.5)), button("zoom out", "−", icons.minus, () => this.zoomBy(1 / 1.5)), button("show all", "0", icons.fit, () => this.fitAll()));
  private where = h("span", { class: "where" });
  private noted = h("span", { class: "noted" });
  private live = h("span", { class: "live", role: "status" });
  private main = h("main", { "aria-busy": "true" }, this.banner, this.stage);
  private code = h("dialog", { class: "code", "aria-label": "copy as code" });
  private save = h("dialog", { class: "save", "aria-label": "save" });

  // The controls, which are made once and filled whenever the view changes.
  private fields = h("div", { class: "stack" });
  private part = this.select("part of complex numbers", (v) => this.change({ part: v }));
  private rowAxis = this.select("axis of the rows", (v) => this.setAxes(Number(v), this.shownAxes().x));
  private colAxis = this.select("axis of the columns", (v) => this.setAxes(this.shownAxes().y, Number(v)));
  private over = this.select("lines", (v) => this.change({ over: Number(v), pins: [] }));
  private xs = this.select("along x", (v) => this.change({ along: v }));
  private swap = button("swap the axes", "t", icons.swap, () => this.swapAxes());
  private sliders = h("div", { class: "sliders" });
  private map = this.select("colour map", (v) => this.change({ map: v }));
  private range = this.select("colour range", (v) => this.change({ range: v as RangeMode }));
  private lo = this.number("least colour", (x) => this.change({ range: "hand", lo: x, hi: this.view.hi ?? brightest(this.info!) }), true);
  private hi = this.number("greatest colour", (x) => this.change({ range: "hand", lo: this.view.lo ?? 0, hi: x }), true);
  private approximate = h("span", { class: "sampled", title: "of a sample", hidden: true }, "≈");
  private plo = this.number("lower percentile", (x) => this.change({ plo: clamp(x, 0, 100) }));
  private phi = this.number("upper percentile", (x) => this.change({ phi: clamp(x, 0, 100) }));
  private perFrame = this.check("for each frame anew", (on) => this.change({ perFrame: on }));
  private rgb = this.check("colours from the last axis", (on) => this.change({ rgb: on, x: -1, y: -1, lo: null, hi: null }));
  private stretch = this.check("stretch to the window", (on) => this.change({ stretch: on, zx: 0, zy: 0 }));
  private how = this.select("a pixel shows", (v) => this.change({ how: v }));
  private goRow = h("input", { type: "text", inputmode: "numeric", "aria-label": "go to row", placeholder: "row" });
  private pinButton = h("button", { type: "button", onclick: () => this.pin(this.view.at) }, icon(icons.pin), "Keep this line");
  private followBox = this.check("follow what is appended", (on) => {
    this.follow = on;
    if (on) this.jumpToEnd();
  });
  private about = h("dl", { class: "about" });
  private sections: Record<string, HTMLElement> = {};

  private get pane() {
    return this.view.mode === "image" ? this.image : this.view.mode === "lines" ? this.lines : this.table;
  }

  async start() {
    this.theme(stored("theme"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme(stored("theme")));
    this.build();
    document.addEventListener("keydown", (e) => this.key(e));
    addEventListener("hashchange", () => this.fromAddress());
    // A page that the browser keeps for the back button must not keep a connection.
    addEventListener("pagehide", () => this.opening?.abort());
    addEventListener("pageshow", (e) => {
      if (e.persisted) this.fromAddress();
    });
    try {
      this.sources = (await getJSON<{ sources: Source[] }>("/api/sources")).sources;
    } catch (err) {
      this.alarm(message(err));
      return;
    }
    this.showSources();
    this.followSources();
    await this.fromAddress();
  }

  private build() {
    const section = (name: string, title: string, ...children: (Node | string)[]) =>
      (this.sections[name] = h("section", { "data-section": name }, title ? h("h2", {}, title) : null, ...children));
    const label = (text: string, ...el: Node[]) => h("label", { class: "field" }, h("span", {}, text), ...el);
    const goForm = h("form", { class: "row" }, this.goRow, h("button", {}, "Go"));
    goForm.addEventListener("submit", (e) => {
      e.preventDefault();
      const x = Number(this.goRow.value.replace(/[\s_,\u202f]/g, ""));
      if (this.goRow.value.trim() !== "" && Number.isFinite(x)) this.table.goTo(x < 0 ? x + (this.info?.shape[this.view.tr] ?? 0) : x);
      this.table.focus();
    });
    this.aside.append(
      section("field", "Field", this.fields, this.part),
      section("axes", "Axes", h("div", { class: "axes" }, label("rows", this.rowAxis), this.swap, label("columns", this.colAxis)), this.over, this.xs),
      section("index", "Index", this.sliders),
      section("colours", "Colours", this.map, h("div", { class: "pair" }, this.approximate, this.lo, h("span", {}, "to"), this.hi), this.range,
        h("div", { class: "pair percent" }, this.plo, h("span", {}, "% to"), this.phi, h("span", {}, "%")), this.perFrame),
      section("pixel", "Pixels", label("a pixel shows the", this.how), this.rgb, this.stretch),
      section("lines", "Lines", this.pinButton),
      section("rows", "Go to row", goForm),
      section("distribution", "Distribution", this.distribution.el),
      section("about", "File", this.about, this.followBox),
    );
    const toggle = (cls: string, el: HTMLElement) => {
      const on = document.body.classList.toggle(cls);
      if (on) el.querySelector<HTMLElement>("button, select, input")?.focus();
    };
    document.body.append(
      h("header", {},
        button("what is open", "o", icons.menu, () => toggle("show-sources", this.nav), { class: "tool only-narrow" }),
        h("div", { class: "name" }, this.title, this.dtype),
        h("div", { class: "tabs", role: "tablist", "aria-label": "view as" }, ...this.tabs),
        h("div", { class: "tools", role: "group", "aria-label": "tools" },
          button("copy as Go or NumPy", "y", icons.copy, () => this.copy()),
          button("save", "s", icons.save, () => this.openSave()),
          button("light or dark", "d", icons.sun, () => this.toggleTheme()),
          h("button", { type: "button", class: "tool", "aria-label": "keys", title: "keys (?)", onclick: () => this.help.showModal() }, "?"),
          button("controls", "", icons.tune, () => toggle("show-controls", this.aside), { class: "tool only-small" }))),
      this.nav, this.main, this.aside,
      h("footer", {}, this.where, this.noted, this.live),
      h("div", { class: "scrim", onclick: () => this.closeDrawers() }),
      this.help, this.code, this.save);
  }

  private closeDrawers() {
    document.body.classList.remove("show-sources", "show-controls");
  }

  private select(name: string, changed: (value: string) => void): HTMLSelectElement {
    const el = h("select", { "aria-label": name, onchange: () => changed(el.value) });
    return el;
  }

  private number(name: string, changed: (x: number) => void, absolute = false): HTMLInputElement {
    const el = h("input", {
      type: "text", inputmode: "decimal", "aria-label": name, title: name,
      onchange: () => {
        const x = read(el.value, absolute ? this.view.base : "0");
        if (x !== null) changed(x);
        else this.refresh();
      },
    });
    return el;
  }

  private check(text: string, changed: (on: boolean) => void): HTMLLabelElement {
    const box = h("input", { type: "checkbox", onchange: () => changed(box.checked) });
    return h("label", { class: "check" }, box, text);
  }

  // Sources.

  private flat(list = this.sources): Source[] {
    return list.flatMap((s) => [s, ...this.flat(s.children ?? [])]);
  }

  private showSources() {
    const item = (s: Source): HTMLElement => {
      if (s.kind === "array") {
        return h("li", {}, h("button", {
          type: "button", class: "source", "data-id": s.id, title: s.error ? `${s.name}: ${s.error}` : s.name,
          onclick: () => {
            this.closeDrawers();
            this.open({ ...initial, src: s.id });
          },
        }, h("span", {}, s.name), s.error ? h("small", { class: "bad" }, s.error) : s.summary ? h("small", { class: "dim" }, s.summary) : null));
      }
      return h("li", {}, h("details", { open: true }, h("summary", { title: s.name }, h("span", {}, s.name), s.error ? h("small", { class: "bad" }, s.error) : null),
        h("ul", {}, ...(s.children ?? []).map(item))));
    };
    this.list.replaceChildren(...this.sources.map(item));
    const n = this.flat().length;
    this.search.hidden = n < 12;
    document.body.classList.toggle("one-source", n < 2);
    this.filter();
    if (this.info) this.markSource(this.info.id);
  }

  // filter shows the arrays whose names or shapes have all words of the search; 50 × 7 and 50x7 are words.
  private filter() {
    const words = this.search.hidden ? [] : this.search.value.toLowerCase().replace(/(?<=\d)\s*[×x]\s*(?=\d)/g, "×").split(/\s+/).filter(Boolean);
    for (const b of this.list.querySelectorAll<HTMLElement>(".source")) {
      const text = b.textContent!.toLowerCase(), shape = ` ${b.querySelector("small")?.textContent ?? ""} `;
      b.parentElement!.hidden = !words.every((w) => text.includes(w) || (w.includes("×") && shape.includes(` ${w.replaceAll("×", " × ")} `)));
    }
    for (const d of [...this.list.querySelectorAll("details")].reverse()) d.parentElement!.hidden = words.length > 0 && !d.querySelector("li:not([hidden]) > .source");
  }

  // followSources looks for files that come and go, while somebody may see the list.
  private async followSources() {
    for (let took = 0; ; ) {
      await new Promise((done) => setTimeout(done, Math.max(3000, 20 * took)));
      if (document.hidden || this.lost) continue;
      const start = performance.now();
      try {
        const { sources } = await getJSON<{ sources: Source[] }>("/api/sources");
        took = performance.now() - start;
        if (JSON.stringify(sources) === JSON.stringify(this.sources)) continue;
        this.sources = sources;
        this.showSources();
      } catch {
        // What is shown of an array says that the server does not answer.
      }
    }
  }

  private async fromAddress() {
    clearTimeout(this.saved);
    this.address = location.hash;
    this.step = ""; // the address has it
    const v = parse(this.address.slice(1));
    const all = this.flat();
    if (!all.some((s) => s.id === v.src && s.kind === "array")) {
      const first = all.find((s) => s.kind === "array" && !s.error) ?? all.find((s) => s.kind === "array");
      if (!first) {
        this.alarm(all.find((s) => s.error)?.error ?? "there is no array to show");
        this.working(false);
        return;
      }
      await this.open({ ...initial, src: first.id });
      return;
    }
    await this.open(v);
  }

  private async open(v: View) {
    this.opening?.abort();
    const ctl = (this.opening = new AbortController());
    this.playing = false;
    this.point(null);
    this.working(true);
    try {
      const chain: Info[] = [];
      for (let k = 0; k <= v.field.length; k++) chain.push(await getInfo(v.src, v.field.slice(0, k), ctl.signal));
      if (ctl.signal.aborted) return;
      this.info = chain.pop()!;
      this.files = this.info.files;
      if (this.info.status === "replaced") this.info.status = "ok"; // nothing of the file before has been shown
      this.parents = chain;
      this.alarm("");
      this.image.again();
      this.lines.again();
      this.table.again();
      this.axis = -1;
      // Only elements with text, many fields or no rows and columns start as a table.
      this.view = fit(v, this.info);
      this.refresh();
      this.watch(ctl);
    } catch (err) {
      if (aborted(err)) return;
      this.working(false);
      this.alarm(message(err));
      this.title.textContent = this.flat().find((s) => s.id === v.src)?.name ?? "";
      this.dtype.textContent = "";
      this.markSource(v.src);
    }
  }

  // watch follows what happens to the file.
  private async watch(ctl: AbortController) {
    let failures = 0;
    while (!ctl.signal.aborted) {
      const a = this.info!;
      try {
        const next = await changes(a.id, this.view.field, a.version, ctl.signal);
        if (failures) {
          this.alarm("");
          this.lost = false;
          this.showLive();
        }
        failures = 0;
        if (!next || ctl.signal.aborted) {
          this.showLive();
          continue;
        }
        const before = a.shape.join();
        const readable = next.dtype !== "", replaced = readable && next.files !== this.files;
        if (readable) this.files = next.files;
        const anew = `another file has taken the place of ${next.name}: this is the new one`;
        if (replaced && (next.dtype !== a.dtype || next.shape.length !== a.shape.length || this.view.field.length)) {
          await this.open({ ...initial, src: next.id }); // nothing of the view need be there
          if (this.info?.id === next.id) this.alarm(anew);
          return;
        }
        if (next.status === "replaced") next.status = "ok"; // it is the new file that is shown from now on
        this.info = next;
        this.image.again();
        this.lines.again();
        this.table.again();
        if (replaced) this.image.forget();
        this.view = fit(replaced && this.view.range !== "hand" ? { ...this.view, lo: null, hi: null } : this.view, next);
        if (next.shape.join() !== before && this.follow) this.jumpToEnd();
        this.refresh();
        if (replaced) this.alarm(anew);
      } catch (err) {
        if (ctl.signal.aborted) return;
        if (message(err).startsWith("no field")) {
          await this.open({ ...initial, src: a.id });
          return;
        }
        this.lost = true;
        this.showLive();
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

  // Host.

  change(patch: Partial<View>) {
    if (!this.info) return;
    if (this.info.status === "ok" && Object.keys(patch).some((k) => k !== "lo" && k !== "hi")) this.alarm("");
    let next = { ...this.view, ...patch };
    if ("part" in patch && this.view.map === mapOf(this.view.part)) next.map = mapOf(next.part);
    const other = (["y", "x", "part", "range", "plo", "phi"] as const).some((k) => k in patch && patch[k] !== this.view[k]) ||
      ("map" in patch && diverging(patch.map!) !== diverging(this.view.map)) || ("perFrame" in patch && patch.perFrame !== this.view.perFrame);
    if (other && next.range !== "hand") next = { ...next, lo: null, hi: null };
    this.view = fit(next, this.info);
    this.refresh();
  }

  private xSources(): XSource[] {
    const { view: v, info: a } = this;
    return a && v.lx >= 0 ? xSources(a, a.shape[v.lx], v.field, this.parents[this.parents.length - 1] ?? null, this.flat()) : [];
  }

  along(): XSource | null {
    return this.view.along ? (this.xSources().find((s) => s.key === this.view.along) ?? null) : null;
  }

  point(c: Cursor | null) {
    this.cursor = c;
    this.pointing.next = c;
    if (!c) {
      this.pointing.ctl?.abort();
      this.where.replaceChildren();
      return;
    }
    const index = h("code", { class: "index" }, indexText(c));
    const [, ...rest] = this.where.childNodes;
    this.where.replaceChildren(index, ...(rest as Node[]));
    this.where.classList.add("stale");
    if (!this.pointing.ctl) this.askValue();
  }

  private async askValue() {
    const c = this.pointing.next, a = this.info;
    if (!c || !a) return;
    this.pointing.next = null;
    const ctl = (this.pointing.ctl = new AbortController());
    try {
      const r = await getJSON<{ text: string; byte: number | string | null }>(arrayPath(a.id, "value") + query({ ...sel(this.view), at: c.at }, { channels: (c.channels ?? -1) >= 0 ? c.channels : null }), ctl.signal);
      const x = this.view.mode === "lines" ? this.along() : null;
      const at = x && (await getJSON<{ text: string }>(arrayPath(x.id, "value") + query({ field: x.field, at: [c.at[this.view.lx]], part: "", base: "0" }, {}), ctl.signal));
      if (this.cursor === c) {
        this.where.replaceChildren(
          h("code", { class: "index" }, indexText(c)), h("output", { class: "value" }, r.text), at ? h("span", { class: "along" }, `${x!.name} ${at.text}`) : "",
          r.byte === null || r.byte === undefined || num(r.byte) < 0 ? "" : h("span", { class: "byte" }, `byte ${group(r.byte)}`));
        this.where.classList.remove("stale");
      }
    } catch (err) {
      if (!aborted(err) && this.cursor === c) this.where.replaceChildren(h("code", { class: "index" }, indexText(c)), h("span", { class: "bad" }, message(err)));
    }
    this.pointing.ctl = null;
    if (this.pointing.next) this.askValue();
  }

  note(text: string) {
    this.noted.textContent = text;
  }

  fail(err: unknown) {
    if (this.info?.status === "ok") this.alarm(message(err)); // else the banner says why
  }

  working(on: boolean) {
    this.busy = on;
    this.main.setAttribute("aria-busy", String(on));
  }

  private alarm(text: string) {
    this.banner.textContent = text;
    this.banner.hidden = text === "";
  }

  // The page.

  private refresh() {
    const { view: v, info: a } = this;
    if (!a) return;
    const broken = a.status === "error" && a.dtype === "";
    document.body.classList.toggle("broken", broken);
    if (broken) {
      this.showBroken(a);
      return;
    }
    if (this.stage.firstChild !== this.pane.el) {
      for (const p of [this.image, this.lines, this.table]) if (p !== this.pane) p.hide();
      this.stage.replaceChildren(this.pane.el, ...(v.mode === "table" ? [] : [h("div", { class: "side" }, v.mode === "image" && this.colorbar.canvas, v.mode === "image" && this.colorbar.shares, this.zoomTools)]));
      this.cursor = null;
      this.where.replaceChildren();
    }
    this.stage.dataset.mode = v.mode;
    this.title.textContent = a.name + v.field.map((f) => ` · ${f}`).join("");
    document.title = `${a.name} · npyview`;
    const what = a.kind === "struct" ? `${a.fields?.length ?? 0} fields` : a.dtype;
    this.dtype.textContent = `${what} (${a.shape.map(group).join(", ")}${a.shape.length === 1 ? "," : ""})`;
    this.markSource(a.id);
    const pickable = a.numeric && a.shape.length > 0 || this.numericField() !== null;
    for (const t of this.tabs) {
      t.setAttribute("aria-selected", String(t.dataset.mode === v.mode));
      t.tabIndex = t.dataset.mode === v.mode ? 0 : -1;
      t.disabled = t.dataset.mode !== "table" && !pickable;
    }
    if (a.status !== "ok") this.alarm(statusText(a));
    else if (this.banner.dataset.status && this.banner.dataset.status !== "ok") this.alarm("");
    this.banner.dataset.status = a.status;
    this.showLive();
    this.showControls(a);
    this.pane.show();
    this.distribution.show();
    this.toAddress();
  }

  // showBroken says why there is nothing to show of a file.
  private showBroken(a: Info) {
    for (const p of [this.image, this.lines, this.table]) p.hide();
    this.stage.replaceChildren(h("p", { class: "empty" }, `${a.name} cannot be shown: ${a.message ?? "it cannot be read"}`));
    this.stage.dataset.mode = "none";
    this.title.textContent = a.name;
    this.dtype.textContent = "";
    document.title = `${a.name} · npyview`;
    this.markSource(a.id);
    for (const t of this.tabs) {
      t.disabled = true;
      t.setAttribute("aria-selected", "false");
    }
    this.alarm("");
    this.banner.dataset.status = a.status;
    this.where.replaceChildren();
    this.note("");
    this.showLive();
    this.toAddress();
    this.working(false);
  }

  private markSource(id: string) {
    for (const b of this.nav.querySelectorAll<HTMLElement>("[data-id]")) {
      if (b.dataset.id === id) b.setAttribute("aria-current", "true");
      else b.removeAttribute("aria-current");
    }
  }

  private showLive() {
    const s = this.lost ? "no answer" : (this.info?.status ?? "ok");
    this.live.dataset.status = s;
    this.live.textContent = s === "ok" ? "live" : s;
    this.live.title = s === "ok" ? "the page follows changes of the file" : this.lost ? "npyview does not answer: what is shown may be old" : (this.info?.message ?? s);
  }

  private toAddress() {
    clearTimeout(this.saved);
    this.saved = window.setTimeout(() => {
      // An address that was entered while this waited stays: its hashchange is on the way.
      if (location.hash !== this.address) return;
      // What a person may want to go back to is a step of the browser's history; where the view is moved to is none.
      const v = this.view, step = JSON.stringify([v.src, v.field, v.part, v.mode, v.y, v.x, v.lx, v.map, v.range, v.plo, v.phi, v.perFrame, v.range === "hand" && [v.lo, v.hi]]);
      const hash = "#" + format(v);
      if (this.step && this.step !== step && hash !== location.hash) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
      this.step = step;
      this.address = location.hash;
    }, 120);
  }

  private numericField(): string | null {
    const a = this.info;
    return a?.kind === "struct" ? (a.fields?.find((f) => numericKinds.includes(f.kind))?.name ?? null) : null;
  }

  private shownAxes(): { y: number; x: number } {
    const { view: v } = this;
    return v.mode === "image" ? { y: v.y, x: v.x } : v.mode === "table" ? { y: v.tr, x: v.tc } : { y: -1, x: v.lx };
  }

  private showControls(a: Info) {
    const v = this.view, n = a.shape.length, s = this.sections;
    const tick = (el: HTMLLabelElement, on: boolean) => ((el.firstChild as HTMLInputElement).checked = on);

    // Field and part.
    const structs = [...this.parents, ...(a.kind === "struct" ? [a] : [])];
    s.field.hidden = structs.length === 0 && a.kind !== "complex";
    const key = JSON.stringify([structs.map((p) => p.fields), v.field]);
    if (this.fields.dataset.key !== key) {
      this.fields.dataset.key = key;
      this.fields.replaceChildren(...structs.map((p, depth) => {
        const el = this.select(depth ? "field of the field" : "field", (name) => this.setField(depth, name));
        choose(el, [["", "all fields"], ...(p.fields ?? []).map((f): [string, string] => ["." + f.name, `${f.name} · ${f.dtype}`])], v.field[depth] === undefined ? "" : "." + v.field[depth]);
        return el;
      }));
    }
    this.part.hidden = a.kind !== "complex";
    choose(this.part, [["abs", "magnitude"], ["angle", "angle"], ["real", "real part"], ["imag", "imaginary part"]], v.part);

    // Axes.
    const rgb = a.rgb && v.rgb && n >= 3 && v.mode === "image";
    const axes = a.shape.map((len, k): [string, string] => [String(k), `${k} · ${group(len)}`]).filter((_, k) => !(rgb && k === n - 1));
    const shown = this.shownAxes();
    const xs = v.mode === "lines" ? this.xSources() : [];
    this.xs.hidden = xs.length === 0;
    choose(this.xs, [["", "x is the index"], ...xs.map((x): [string, string] => [x.key, `x is ${x.name}`])], this.along()?.key ?? "");
    this.rowAxis.closest<HTMLElement>(".axes")!.hidden = n < 2;
    s.axes.hidden = n < 2 && xs.length === 0;
    this.rowAxis.parentElement!.hidden = this.swap.hidden = v.mode === "lines" || (v.mode === "table" && shown.x < 0);
    if (v.mode === "table" && shown.x < 0) {
      this.rowAxis.parentElement!.hidden = false;
      this.colAxis.parentElement!.hidden = true;
    } else this.colAxis.parentElement!.hidden = false;
    const many = v.mode === "lines" ? a.shape.map((len, k): [string, string] => [String(k), `each of axis ${k} · ${group(len)}`]).filter((_, k) => k !== v.lx && a.shape[k] > 1 && a.shape[k] <= maxLines) : [];
    this.over.hidden = many.length === 0;
    choose(this.over, [["-1", "one line"], ...many], String(v.over));
    this.colAxis.previousElementSibling!.textContent = v.mode === "lines" ? "along" : "columns";
    choose(this.rowAxis, axes, String(shown.y));
    choose(this.colAxis, axes, String(shown.x));

    // Sliders for what is not an axis of the picture.
    const free = a.shape.map((_, k) => k).filter((k) => k !== shown.x && k !== shown.y && !(v.mode === "lines" && k === v.over) && !(rgb && k === n - 1) && a.shape[k] > 1);
    if (!free.includes(this.axis)) this.axis = free[0] ?? -1;
    s.index.hidden = free.length === 0;
    this.followBox.hidden = n === 0;
    this.showSliders(a, free);

    // Colours and pixels.
    s.colours.hidden = v.mode !== "image" || (rgb && a.itemsize === 1);
    this.map.hidden = this.range.hidden = rgb;
    this.colorbar.canvas.hidden = this.colorbar.shares.hidden = s.colours.hidden || rgb || a.shape.includes(0);
    choose(this.map, maps.map((m) => [m, m]), v.map);
    const fixed = a.kind === "bool" ? "false to true" : v.part === "angle" ? "a full turn" : "";
    if (fixed) choose(this.range, [["percentile", fixed], ["hand", "by hand"]], v.range === "hand" ? "hand" : "percentile");
    else choose(this.range, [["percentile", "percentiles"], ["extremes", "least to greatest"], ["hand", "by hand"]], v.range);
    this.set(this.plo, full(v.plo));
    this.set(this.phi, full(v.phi));
    this.plo.parentElement!.hidden = v.range !== "percentile" || rgb || fixed !== "";
    this.perFrame.hidden = v.range === "hand" || rgb || fixed !== "" || free.length === 0;
    tick(this.perFrame, v.perFrame);
    this.showRange();
    s.pixel.hidden = v.mode !== "image";
    choose(this.how, [["mean", "mean"], ["min", "least"], ["max", "greatest"]], v.how);
    this.rgb.hidden = !a.rgb || n < 3;
    tick(this.rgb, v.rgb);
    tick(this.stretch, v.stretch);

    s.lines.hidden = v.mode !== "lines" || n < 2 || v.over >= 0;
    s.rows.hidden = v.mode !== "table" || n === 0;
    s.distribution.hidden = !a.numeric || n === 0;
    this.zoomTools.hidden = a.shape.includes(0);

    const about: [string, string][] = [
      ["dtype", a.dtype + (a.bigEndian ? ", big-endian" : "")], ["shape", `(${a.shape.join(", ")}${n === 1 ? "," : ""})`],
      ["order", a.order === "C" ? "C" : a.order === "F" ? "Fortran" : "strided"], ["bytes", `${bytes(num(a.nbytes))} · ${group(a.nbytes)}`],
      ["data at", a.inflated ? "inflated" : `byte ${group(a.dataOffset)}`],
    ];
    this.about.replaceChildren(...about.flatMap(([k, t]) => [h("dt", {}, k), h("dd", {}, t)]));
  }

  private set(el: HTMLInputElement, text: string) {
    if (document.activeElement !== el || this.busy === false) el.value = text;
  }

  // showRange shows what the range of the colours is, and of what.
  private showRange() {
    const v = this.view, r = this.image.range;
    const colours = this.image.colours(), none = r.none && v.range !== "hand";
    const [lo, hi] = none ? [null, null] : colours && v.range !== "hand" ? [0, brightest(this.info!)] : [v.lo, v.hi];
    const span = lo !== null && hi !== null ? hi - lo : 0;
    for (const [el, x] of [[this.lo, lo], [this.hi, hi]] as const) {
      this.set(el, x === null ? "" : near(x, span, v.base));
      el.title = `${el.getAttribute("aria-label")}${x === null ? "" : `: ${full(x, v.base)}`}`;
    }
    this.approximate.hidden = r.exact || v.range === "hand";
    this.colorbar.show(v.map, lo, hi, v.base, r.shares());
  }

  private showSliders(a: Info, free: number[]) {
    const v = this.view, key = free.map((k) => `${k}:${a.shape[k]}`).join();
    if (this.sliders.dataset.key !== key) {
      this.sliders.dataset.key = key;
      this.sliders.replaceChildren(...free.map((k) => {
        const range = h("input", { type: "range", min: 0, max: a.shape[k] - 1, step: 1, "aria-label": `index on axis ${k}`, oninput: () => this.setIndex(k, Number(range.value)) });
        const exact = h("input", {
          type: "text", inputmode: "numeric", "aria-label": `index on axis ${k}, as a number`, class: "exact",
          onchange: () => {
            const x = Math.trunc(Number(exact.value));
            if (Number.isFinite(x)) this.setIndex(k, x < 0 ? x + a.shape[k] : x);
          },
        });
        const play = h("button", { type: "button", class: "tool", "aria-label": `play axis ${k}`, title: "play (space)", onclick: () => { this.axis = k; this.play(); } }, icon(icons.play));
        const row = h("div", { class: "slider", "data-axis": k, onpointerdown: () => (this.axis = k) },
          h("span", { class: "label" }, `axis ${k}`), exact, h("span", { class: "dim of" }, `of ${group(a.shape[k])}`), play, range);
        return row;
      }));
    }
    for (const row of this.sliders.querySelectorAll<HTMLElement>(".slider")) {
      const k = Number(row.dataset.axis);
      row.classList.toggle("active", k === this.axis && free.length > 1);
      row.querySelector<HTMLInputElement>("input[type=range]")!.value = String(v.at[k]);
      row.querySelector<HTMLInputElement>(".exact")!.value = String(v.at[k]);
      const play = row.querySelector("button")!, on = this.playing && k === this.axis;
      if (play.getAttribute("aria-pressed") !== String(on)) {
        play.setAttribute("aria-pressed", String(on));
        play.replaceChildren(icon(on ? icons.pause : icons.play));
      }
    }
  }

  private setMode(m: Mode) {
    const a = this.info;
    if (!a) return;
    const f = this.numericField();
    if (m !== "table" && a.kind === "struct" && f !== null) this.open({ ...initial, src: a.id, field: [...this.view.field, f], mode: m });
    else this.change({ mode: m });
  }

  private setField(depth: number, name: string) {
    const field = this.view.field.slice(0, depth);
    if (name) field.push(name.slice(1));
    this.open({ ...initial, src: this.view.src, field, mode: this.view.mode, at: this.view.at, map: this.view.map, row: this.view.row });
  }

  private setIndex(k: number, i: number) {
    const { info: a, view: v } = this;
    if (!a || k < 0) return;
    this.axis = k;
    const at = [...v.at];
    at[k] = clamp(i, 0, Math.max(0, a.shape[k] - 1));
    this.change({ at });
  }

  private setAxes(y: number, x: number) {
    const { info: a, view: v } = this;
    if (!a) return;
    if (v.mode === "lines") {
      this.change({ lx: x, over: -2, from: 0, to: 0 });
      return;
    }
    const old = this.shownAxes();
    if (y === x) y === old.y ? (y = old.x) : (x = old.y); // one took the other's axis: they change places
    if (v.mode === "table") this.change({ tr: y, tc: x, row: 0, col: 0 });
    else this.change({ y, x, zx: 0, zy: 0, cx: 0, cy: 0, stretch: thread(a, y, x) });
  }

  private swapAxes() {
    const { info: a, view: v } = this;
    if (!a || a.shape.length < 2 || v.mode === "lines") return;
    if (v.mode === "table") {
      if (v.tc >= 0) this.change({ tr: v.tc, tc: v.tr, row: v.col, col: Math.floor(v.row) });
    } else this.change({ y: v.x, x: v.y, zx: v.zy, zy: v.zx, cx: v.cy, cy: v.cx });
  }

  private async play() {
    this.playing = !this.playing;
    if (!this.playing) {
      this.refresh();
      return;
    }
    const id = this.info?.id;
    while (this.playing && this.info && this.info.id === id && this.axis >= 0) {
      const n = this.info.shape[this.axis];
      this.setIndex(this.axis, (this.view.at[this.axis] + 1) % n);
      const start = performance.now();
      do await new Promise((done) => setTimeout(done, 60));
      while (this.busy && performance.now() - start < 1500);
    }
    this.playing = false;
    this.refresh();
  }

  private pin(at: number[]) {
    if (this.view.over >= 0) return;
    const same = this.view.pins.some((p) => p.join() === at.join());
    if (!same) this.change({ pins: [...this.view.pins, at].slice(-7) });
  }

  private zoomBy(f: number) {
    if (this.view.mode === "image") this.image.zoom(f);
    else this.lines.key(new KeyboardEvent("keydown", { key: f > 1 ? "+" : "-" }));
  }

  private fitAll() {
    if (this.view.mode === "image") this.image.fit();
    else this.lines.fit();
  }

  private regionQuery(): string {
    const seen = this.pane.visible(), s = sel(this.view);
    return query(s, seen ? { y: seen.y, x: seen.x, ...seen.region } : { y: -1, x: -1 });
  }

  private async copy() {
    const a = this.info;
    if (!a) return;
    try {
      const r = await getJSON<{ go: string; numpy: string }>(arrayPath(a.id, "copy") + this.regionQuery());
      const block = (name: string, text: string) => {
        const pre = h("pre", { tabindex: 0, "data-lang": name }, text);
        const b = h("button", {
          type: "button", onclick: async () => {
            try {
              await navigator.clipboard.writeText(text);
              b.textContent = "Copied";
            } catch {
              getSelection()?.selectAllChildren(pre);
              b.textContent = "Selected";
            }
          },
        }, "Copy");
        return h("section", {}, h("div", { class: "row" }, h("h2", {}, name), b), pre);
      };
      this.code.replaceChildren(block("NumPy", r.numpy), block("Go", r.go), h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
      this.code.showModal();
    } catch (err) {
      this.fail(err);
    }
  }

  private openSave() {
    const a = this.info;
    if (!a) return;
    const said = h("p", { class: "small bad", role: "status" });
    const base = (a.name.split(/[/\\:]/).pop() ?? "").replace(/\.np[yz]$/, "") || "array";
    const png = h("button", { type: "button", disabled: this.view.mode === "table", onclick: async () => {
      const blob = await this.picture();
      if (blob) download(blob, base + ".png");
      this.save.close();
    } }, "Picture with axes, twice as fine (.png)");
    const table = h("button", { type: "button", onclick: async () => {
      try {
        const { columns, rows } = await cells(a, this.view, this.selectedPart());
        download(new Blob([csv([columns, ...rows])], { type: "text/csv" }), base + ".csv");
        this.save.close();
      } catch (err) {
        said.textContent = message(err);
      }
    } }, this.view.mode === "table" && this.selected() ? "Selected cells (.csv)" : "Elements on screen (.csv)");
    const npy = h("button", { type: "button", onclick: async () => {
      try {
        const r = await ask(arrayPath(a.id, "save") + this.regionQuery());
        if (!r.ok) throw new Error((await r.json()).error ?? r.statusText);
        download(await r.blob(), base + "-part.npy");
        this.save.close();
      } catch (err) {
        said.textContent = message(err);
      }
    } }, "Elements on screen (.npy)");
    this.save.replaceChildren(h("h2", {}, "Save"), png, npy, table, said, h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
    this.save.showModal();
  }

  private selected(): boolean {
    const s = this.table.selection();
    return s.rows * s.cols > 1;
  }

  // selectedPart returns what is selected in the table, or else what is on screen.
  private selectedPart(): Part {
    const v = this.view, a = this.info!, s = this.table.selection();
    if (v.mode === "table" && (this.selected() || a.kind === "struct" || v.tr < 0)) {
      const y = v.tc >= 0 && a.kind !== "struct" ? v.tr : -1;
      if (this.selected()) return { y, x: y < 0 ? v.tr : v.tc, ...s };
      const seen = this.table.visible()?.region;
      return { y, x: v.tr, row: seen?.x0 ?? 0, rows: seen ? seen.x1 - seen.x0 : 1, col: 0, cols: a.kind === "struct" ? (a.fields?.length ?? 1) : 1 };
    }
    const seen = this.pane.visible();
    if (!seen) throw new Error("there is nothing on screen");
    const { y0, y1, x0, x1 } = seen.region;
    return seen.y < 0 ? { y: -1, x: seen.x, row: x0, rows: x1 - x0, col: 0, cols: 1 } : { y: seen.y, x: seen.x, row: y0, rows: y1 - y0, col: x0, cols: x1 - x0 };
  }

  // copyElements copies the cells that are selected, or the value that the foot shows.
  private async copyElements() {
    const a = this.info;
    if (!a) return;
    try {
      const value = this.where.querySelector(".value")?.textContent;
      const text = this.view.mode === "table" && this.selected() ? tsv((await cells(a, this.view, this.selectedPart())).rows) : value;
      if (!text) return;
      await navigator.clipboard.writeText(text);
      this.note("copied");
    } catch (err) {
      this.fail(err);
    }
  }

  // picture draws what is on screen with its axes, its title and the bar, twice as fine as the screen.
  private picture(): Promise<Blob | null> {
    const v = this.view, out = document.createElement("canvas"), finer = 2;
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
      g.fillText(`${this.title.textContent}  [${v.at.map((i, k) => (shown.includes(k) ? ":" : i)).join(", ")}]`, 14, head / 2, w - 28);
      g.fillStyle = css("--muted");
      g.font = `11px ${css("--text")}`;
      g.fillText(legend, 14, hh - foot / 2, w - 28);
    };
    if (v.mode === "image") {
      this.image.print(finer, (map) => {
        this.colorbar.redraw();
        const bar = !this.colorbar.canvas.hidden && this.colorbar.canvas.clientHeight > this.colorbar.canvas.clientWidth;
        compose(bar ? [map, this.colorbar.canvas] : [map], [this.noted.textContent, this.colorbar.shares.innerText.replace(/\n/g, ", ")].filter(Boolean).join(" · "));
      });
      this.colorbar.redraw();
    } else {
      const plot = this.lines.print(finer);
      if (!plot) return Promise.resolve(null);
      const each = finer * devicePixelRatio;
      compose([plot], [this.lines.el.querySelector(".offset")?.textContent, this.lines.el.querySelector(".below")?.textContent, this.noted.textContent].filter(Boolean).join(" · "), (c) => [c.width / each, c.height / each]);
    }
    return new Promise((done) => out.toBlob(done, "image/png"));
  }

  private theme(name: string | null) {
    const dark = name === "dark" || (name !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    if (this.info) {
      this.lines.retheme();
      this.refresh();
      this.colorbar.redraw();
      this.distribution.draw();
    }
  }

  private toggleTheme() {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", next);
    } catch {
      // It lasts until the page is left.
    }
    this.theme(next);
  }

  // Keys.

  private key(e: KeyboardEvent) {
    if ((e.ctrlKey || e.metaKey) && e.key === "c" && !e.altKey && !(e.target as Element).matches("input, textarea") && getSelection()?.isCollapsed !== false) {
      e.preventDefault();
      this.copyElements();
      return;
    }
    if (e.ctrlKey && !["Home", "End"].includes(e.key) || e.altKey || e.metaKey) return;
    const t = e.target as HTMLElement;
    const typing = t.matches("input:not([type=range]):not([type=checkbox])");
    if (e.key === "Escape") {
      this.closeDrawers();
      if (typing) this.pane.focus();
      return;
    }
    if (document.querySelector("dialog[open]") || typing) return;
    const widget = t.matches("select, input, summary, button, [role=tab]");
    if (t.matches("[role=tab]") && (e.key === "ArrowLeft" || e.key === "ArrowRight")) {
      const open = this.tabs.filter((b) => !b.disabled), i = open.indexOf(t as HTMLButtonElement);
      const next = open[(i + (e.key === "ArrowLeft" ? open.length - 1 : 1)) % open.length];
      next.focus();
      next.click();
      e.preventDefault();
      return;
    }
    // Selects take letters and arrows, sliders arrows, buttons space and enter.
    if (t.matches("select") || (widget && (e.key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown", " ", "Enter"].includes(e.key)))) return;
    if (this.pane.key(e) || this.command(e.key)) e.preventDefault();
  }

  private command(key: string): boolean {
    const v = this.view;
    switch (key) {
      case "?": this.help.showModal(); break;
      case "i": if (!this.tabs[0].disabled) this.setMode("image"); break;
      case "l": if (!this.tabs[1].disabled) this.setMode("lines"); break;
      case "b": this.setMode("table"); break;
      case "[": this.nextAxis(-1); break;
      case "]": this.nextAxis(1); break;
      case ",": this.setIndex(this.axis, (v.at[this.axis] ?? 0) - 1); break;
      case ".": this.setIndex(this.axis, (v.at[this.axis] ?? 0) + 1); break;
      case " ": this.play(); break;
      case "t": this.swapAxes(); break;
      case "c": this.change({ map: maps[(maps.indexOf(v.map) + 1) % maps.length] }); break;
      case "r": this.change({ range: v.range === "hand" ? "percentile" : v.range, perFrame: v.range === "hand" || !v.perFrame, lo: null, hi: null }); break;
      case "m": this.change({ how: v.how === "mean" ? "min" : v.how === "min" ? "max" : "mean" }); break;
      case "p":
        if (v.mode === "image" && this.cursor) this.change({ mode: "lines", at: this.cursor.at, pins: [...v.pins, this.cursor.at].slice(-7), over: -1 });
        else if (v.mode === "lines") this.pin(v.at);
        break;
      case "h": if (!this.sections.distribution.hidden) {
        document.body.classList.add("show-controls");
        this.sections.distribution.scrollIntoView({ block: "nearest" });
        this.distribution.start();
      } break;
      case "g":
        if (v.mode !== "table") return false;
        document.body.classList.add("show-controls");
        this.goRow.focus();
        this.goRow.select();
        break;
      case "o":
        document.body.classList.add("show-sources");
        (this.nav.querySelector<HTMLElement>("[aria-current]") ?? this.nav.querySelector<HTMLElement>("button"))?.focus();
        break;
      case "y": this.copy(); break;
      case "s": this.openSave(); break;
      case "d": this.toggleTheme(); break;
      default: return false;
    }
    return true;
  }

  private nextAxis(by: number) {
    const free = [...this.sliders.querySelectorAll<HTMLElement>(".slider")].map((r) => Number(r.dataset.axis));
    if (!free.length) return;
    this.axis = free[(free.indexOf(this.axis) + by + free.length) % free.length];
    this.refresh();
  }
}

function statusText(a: Info): string {
  const text: Record<string, string> = {
    truncated: "the file was cut short: what lay behind its end is gone",
    gone: "the file is gone: what is shown is what was there",
    error: "the file cannot be read",
  };
  const what = text[a.status] ?? a.status;
  return a.message ? `${what} (${a.message})` : what;
}

function indexText(c: Cursor): string {
  return `[${c.at.map((i, k) => (k === c.channels ? ":" : i)).join(", ")}]`;
}

function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

new App().start();

// The foot: the element at the cursor, a note about the picture, and the state of the file.

import { aborted, arrayPath, getJSON, message, query } from "./api";
import { h } from "./dom";
import type { App } from "./main";
import { group, num } from "./num";
import type { Cursor } from "./pane";
import { sel } from "./state";

export class Foot {
  cursor: Cursor | null = null;
  private of = ""; // key of the view that contains the cursor
  private pointing: { ctl: AbortController | null; next: Cursor | null } = { ctl: null, next: null };
  private where = h("span", { class: "where" });
  private noted = h("span", { class: "noted" });
  private live = h("span", { class: "live", role: "status" });
  readonly el = h("footer", {}, this.where, this.noted, this.live);

  constructor(private app: App) {}

  /** value is the text of the element at the cursor. */
  get value(): string {
    return this.where.querySelector(".value")?.textContent ?? "";
  }

  get note(): string {
    return this.noted.textContent ?? "";
  }

  set note(text: string) {
    this.noted.textContent = text;
  }

  /** clear removes the cursor. */
  clear() {
    this.cursor = null;
    this.where.replaceChildren();
  }

  point(c: Cursor | null) {
    this.cursor = c;
    this.pointing.next = c;
    if (!c) {
      this.pointing.ctl?.abort();
      this.where.replaceChildren();
      return;
    }
    const index = h("code", { class: "index" }, this.indexText(c));
    const [, ...rest] = this.where.childNodes;
    this.where.replaceChildren(index, ...(rest as Node[]));
    this.where.classList.add("stale");
    if (!this.pointing.ctl) this.askValue();
  }

  /** showPlace shows the values of axes at the cursor. */
  showPlace(c = this.cursor) {
    const a = this.app.info;
    if (!a?.axes || !c || !this.where.querySelector(".value")) return;
    const place = a.axes.flatMap((x, k) => (x.valued ? [`${x.name || `axis ${k}`} ${this.app.texts.text(a, k, c.at[k]) ?? "…"}`] : [])).join(", ");
    this.where.querySelector(".place")?.remove();
    if (place) this.where.append(h("span", { class: "place" }, place));
  }

  /** follow requests the element at the cursor of lines and tables again if the file or an index has changed. */
  follow() {
    const { view: v, info } = this.app, a = info!, c = this.cursor, of = JSON.stringify([a.id, a.version, sel(v), v.mode, v.lx, v.tr, v.tc, v.along]);
    if (of === this.of) return;
    this.of = of;
    if (!c || v.mode === "image") return; // images handle their cursor themselves
    const own = v.mode === "lines" ? [v.lx] : [v.tr, v.tc], at = v.at.map((i, k) => (own.includes(k) ? c.at[k] : i));
    this.point(at.every((i, k) => i < a.shape[k]) ? { at } : null);
  }

  private async askValue() {
    const c = this.pointing.next, a = this.app.info;
    if (!c || !a) return;
    this.pointing.next = null;
    const ctl = (this.pointing.ctl = new AbortController());
    try {
      const r = await getJSON<{ text: string; byte: number | string | null }>(arrayPath(a.id, "value") + query({ ...sel(this.app.view), at: c.at, ...(this.app.view.mode === "table" ? { minus: "" } : {}) }, { channels: (c.channels ?? -1) >= 0 ? c.channels : null }), ctl.signal);
      const x = this.app.view.mode === "lines" ? this.app.along() : null;
      const at = x && (await getJSON<{ text: string }>(arrayPath(x.id, "value") + query({ field: x.field, at: [c.at[this.app.view.lx]], part: "", base: "0" }, {}), ctl.signal));
      const second = this.app.compare.second, v = this.app.view;
      const other = second && (await getJSON<{ text: string }>(arrayPath(second.info!.id, "value") + query({ field: v.field, at: c.at.map((i, k) => (v.otherAt.length && k !== v.y && k !== v.x ? v.otherAt[k] : i)), part: "", base: "0" },
        { channels: (c.channels ?? -1) >= 0 ? c.channels : null }), ctl.signal));
      if (this.cursor === c) {
        this.where.replaceChildren(
          h("code", { class: "index" }, this.indexText(c)), h("output", { class: "value" }, r.text), at ? h("span", { class: "along" }, `${x!.name} ${at.text}`) : "", other ? h("span", { class: "other" }, `${second!.info!.name} ${other.text}`) : "",
          r.byte === null || r.byte === undefined || num(r.byte) < 0 ? "" : h("span", { class: "byte" }, `byte ${group(r.byte)}`));
        this.showPlace(c);
        this.where.classList.remove("stale");
      }
    } catch (err) {
      if (!aborted(err) && this.cursor === c) this.where.replaceChildren(h("code", { class: "index" }, this.indexText(c)), h("span", { class: "bad" }, message(err)));
    }
    this.pointing.ctl = null;
    if (this.pointing.next) this.askValue();
  }

  showLive() {
    const s = this.app.lost ? "no answer" : (this.app.info?.status ?? "ok");
    this.live.dataset.status = s;
    this.live.textContent = s === "ok" ? "live" : s;
    this.live.title = s === "ok" ? "the page follows changes of the file" : this.app.lost ? "npyview does not answer: the view may be out of date" : (this.app.info?.message ?? s);
  }

  // indexText formats an index, with the operations of projections.
  private indexText(c: Cursor): string {
    const combined = (k: number) => this.app.view.project.find((p) => p.axis === k)?.op;
    return `[${c.at.map((i, k) => (k === c.channels ? ":" : (combined(k) ?? i))).join(", ")}]`;
  }
}


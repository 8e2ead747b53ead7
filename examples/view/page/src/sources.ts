// The list of open files, which follows changes of folders.

import { getJSON, type Source } from "./api";
import { choose, h } from "./dom";
import { matches, words } from "./filter";
import type { App } from "./main";
import { bytes } from "./num";
import { initial } from "./state";
import { select } from "./widgets";

const orders: [value: string, text: string][] = [["", "as given"], ["name", "by name"], ["time", "newest first"], ["size", "largest first"]];
const many = 3; // maximum number of entries with errors in a folder that are listed among the other entries
const accepted = "Shows the entries that match all words: a part of the name, a dtype (f4), the number of axes (3d), or lengths of the shape: 3,4 anywhere, 3, at the start, ,4 at the end, (3,4) the whole shape";

export class SourceList {
  private given: Source[] = []; // in the order of the server
  private sources: Source[] = [];
  private search = h("input", { type: "search", "aria-label": "search the list", placeholder: "name, f4, 3,4 or 2d", title: accepted, oninput: () => this.filter() });
  private order = select("order of the list", (v) => this.sort(v));
  private list = h("ul", {});
  private none = h("p", { class: "dim small", role: "status" });
  private opened = new Map<string, boolean>(); // folders that the user has opened or closed, by key
  readonly el = h("nav", { class: "sources", "aria-label": "open files" }, h("div", { class: "row" }, h("h2", {}, "Open"), this.order), this.search, this.none, this.list);

  constructor(private app: App) {
    choose(this.order, orders, stored());
  }

  /** start requests the list, shows it, and follows it. */
  async start() {
    this.given = (await getJSON<{ sources: Source[] }>("/api/sources")).sources;
    this.fill();
    this.follow();
  }

  /** flat returns all entries of the list, including folders and their contents. */
  flat(list = this.sources): Source[] {
    return list.flatMap((s) => [s, ...this.flat(s.children ?? [])]);
  }

  private sort(order: string) {
    try {
      localStorage.setItem("npyview order", order);
    } catch {
      // Without storage, the order lasts until the page is left.
    }
    this.fill();
  }

  private fill() {
    this.sources = sorted(this.given, this.order.value);
    const focused = this.list.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset : null;
    this.list.replaceChildren(...this.items(this.sources, ""));
    const n = this.flat().length;
    this.search.hidden = this.order.hidden = n < 3;
    document.body.classList.toggle("one-source", n < 2);
    this.filter();
    if (this.app.info) this.mark(this.app.view.src);
    if (focused) [...this.list.querySelectorAll<HTMLElement>("button, summary")].find((e) => e.dataset.id === focused.id && e.dataset.key === focused.key)?.focus();
  }

  // items creates the entries of a folder. If many cannot be opened, one entry at the end contains these.
  private items(list: Source[], folder: string): HTMLElement[] {
    const bad = list.filter((s) => s.error && !s.children?.length);
    if (bad.length <= many) return list.map((s) => this.item(s));
    return [...list.filter((s) => !bad.includes(s)).map((s) => this.item(s)),
      this.details("bad " + folder, false, "unreadable", [h("span", { class: "bad" }, `${bad.length} files cannot be opened`)], bad.map((s) => this.item(s)))];
  }

  private item(s: Source): HTMLElement {
    const error = s.error ? h("small", { class: "bad", title: s.error }, s.error) : null, file = s.modified ? fileOf(s) : "";
    if (s.kind !== "array") {
      return this.details(s.id, true, "", [h("span", { title: s.name }, s.name), error ?? (file ? h("small", { class: "dim", title: exactly(s) }, file) : null)], this.items(s.children ?? [], s.id));
    }
    return h("li", {}, h("button", {
      type: "button", class: "source", "data-id": s.id, "data-summary": s.summary ?? "",
      onclick: async () => {
        const drawer = this.app.closeDrawers();
        await this.app.open({ ...initial, src: s.id });
        if (drawer) this.app.pane.focus();
      },
    }, h("span", { title: s.name }, s.name), error ?? (s.summary ? h("small", { class: "dim", title: exactly(s) }, s.summary) : null),
      !error && (file || s.size) ? h("small", { class: "dim", title: exactly(s) }, file || bytes(s.size!)) : null));
  }

  private details(key: string, open: boolean, name: string, summary: (Node | null)[], children: HTMLElement[]): HTMLElement {
    const d: HTMLDetailsElement = h("details", { class: name, open: this.opened.get(key) ?? open },
      h("summary", { "data-key": key, onclick: () => this.opened.set(key, !d.open) }, ...summary), h("ul", {}, ...children));
    return h("li", {}, d);
  }

  // filter shows the arrays that match all words of the search.
  private filter() {
    const want = this.search.hidden ? [] : words(this.search.value);
    for (const b of this.list.querySelectorAll<HTMLElement>(".source")) {
      b.parentElement!.hidden = !want.every((w) => matches(w, b.firstChild!.textContent!, b.dataset.summary!));
    }
    const none = want.length > 0 && !this.list.querySelector("li:not([hidden]) > .source") ? "no entry matches" : "";
    if (this.none.textContent !== none) this.none.textContent = none;
    for (const d of [...this.list.querySelectorAll("details")].reverse()) {
      const found = d.querySelector("li:not([hidden]) > .source") !== null;
      d.parentElement!.hidden = want.length > 0 && !found;
      if (want.length > 0 && found) d.open = true;
    }
  }

  // follow polls for changes of the list while the page is visible.
  private async follow() {
    for (let took = 0; ; ) {
      await new Promise((done) => setTimeout(done, Math.max(3000, 20 * took)));
      if (document.hidden || this.app.lost) continue;
      const start = performance.now();
      try {
        const { sources } = await getJSON<{ sources: Source[] }>("/api/sources");
        took = performance.now() - start;
        if (JSON.stringify(sources) === JSON.stringify(this.given)) continue;
        this.given = sources;
        this.fill();
      } catch {
        // The watch of the current array reports that the server does not respond.
      }
    }
  }

  /** mark marks the current array. */
  mark(id: string) {
    for (const b of this.el.querySelectorAll<HTMLElement>("[data-id]")) {
      if (b.dataset.id !== id) b.removeAttribute("aria-current");
      else {
        b.setAttribute("aria-current", "true");
        b.closest<HTMLDetailsElement>("details.unreadable")?.setAttribute("open", "");
      }
    }
  }

  /** focus shows the list if it is hidden, and focuses it. */
  focus() {
    this.app.openDrawer("sources");
    (this.el.querySelector<HTMLElement>("[aria-current]") ?? this.el.querySelector<HTMLElement>("button"))?.focus();
  }
}

const natural = new Intl.Collator(undefined, { numeric: true });

// sorted returns a list in an order. Folders count with their newest file and the sizes of all files.
function sorted(list: Source[], order: string): Source[] {
  const by: Record<string, (a: Source, b: Source) => number> = {
    name: (a, b) => natural.compare(a.name, b.name),
    time: (a, b) => newest(b) - newest(a),
    size: (a, b) => total(b) - total(a),
  };
  const out = list.map((s) => (s.children ? { ...s, children: sorted(s.children, order) } : s));
  return by[order] ? out.sort(by[order]) : out;
}

function newest(s: Source): number {
  return s.modified ?? Math.max(0, ...(s.children ?? []).map(newest));
}

function total(s: Source): number {
  return s.size ?? (s.children ?? []).reduce((n, c) => n + total(c), 0);
}

// fileOf formats the size and the time of a file: the time for files of today, or else the date.
function fileOf(s: Source): string {
  const t = new Date(s.modified!), now = new Date();
  const time = t.toDateString() === now.toDateString() ? t.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : t.toLocaleDateString([], t.getFullYear() === now.getFullYear() ? { day: "numeric", month: "short" } : { day: "numeric", month: "short", year: "numeric" });
  return `${bytes(s.size ?? 0)} · ${time}`;
}

// exactly returns the exact size and time of an entry.
function exactly(s: Source): string {
  return [s.size === undefined ? "" : `${s.size} bytes`, s.modified ? new Date(s.modified).toLocaleString() : ""].filter(Boolean).join(", ");
}

function stored(): string {
  try {
    return localStorage.getItem("npyview order") ?? "";
  } catch {
    return "";
  }
}

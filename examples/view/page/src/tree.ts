// The tree: Python objects that are expanded level by level. The server sends a page of children at a time.

import { arrayPath, getJSON, message, query } from "./api";
import { h } from "./dom";
import { clamp, group } from "./num";
import type { Host, Pane } from "./pane";

const pageSize = 200; // children per request
const maxRows = 20_000; // rows in the document

interface Item {
  label: string; // index, key or name of a field
  type: string;
  text: string;
  count: number; // children
}

interface Page {
  total: number;
  items: Item[];
}

/** Row is a value, or the row that requests more children of a value. */
interface Row {
  key: string; // indices from the root, with commas between them
  parent: string;
  el: HTMLElement;
  item: Item | null; // null for the row that requests more
}

export class TreePane implements Pane {
  private list = h("div", { class: "values", role: "tree", tabindex: 0, "aria-label": "Python objects; arrow keys move, right expands, left collapses" });
  readonly el = h("div", { class: "tree" }, this.list);
  private id = ""; // of the array
  private layer = ""; // the array and version of the pages
  private pages = new Map<string, Page>(); // by the key of the parent
  private open = new Set<string>([""]); // keys of expanded values
  private rows: Row[] = [];
  private current = "0"; // key of the selected row
  private ctl = new AbortController();
  private asked = new Set<string>();

  constructor(private host: Host) {
    this.list.addEventListener("click", (e) => {
      const row = this.rows.find((r) => r.el === (e.target as Element).closest(".item"));
      if (!row || getSelection()?.isCollapsed === false) return; // a text is being selected
      this.select(row);
      if (!row.item || (e.target as Element).closest(".twist")) this.toggle(row);
    });
    this.list.addEventListener("dblclick", (e) => {
      const row = this.rows.find((r) => r.el === (e.target as Element).closest(".item"));
      if (row?.item && !(e.target as Element).closest(".twist")) this.toggle(row);
    });
  }

  visible() {
    return null;
  }

  /** text returns the text of the selected value. */
  get text(): string {
    return this.rows[this.index()]?.item?.text ?? "";
  }

  show() {
    const a = this.host.info!, layer = JSON.stringify([a.id, a.version]);
    if (layer === this.layer) {
      this.host.working(this.asked.size > 0);
      return;
    }
    this.stop();
    this.layer = layer;
    this.pages.clear();
    if (a.id !== this.id) {
      this.id = a.id;
      this.open = new Set(["", ...(a.shape.length ? [] : ["0"])]); // the only value is expanded
      this.current = "0";
      this.list.replaceChildren();
      this.rows = [];
    }
    this.draw();
  }

  hide() {
    this.stop();
    this.layer = "";
  }

  again() {}

  focus() {
    this.list.focus({ preventScroll: true });
  }

  private stop() {
    this.ctl.abort();
    this.ctl = new AbortController();
    this.asked.clear();
  }

  // draw creates the rows of expanded values. It requests missing pages, and keeps the rows until they arrive.
  private draw() {
    const rows: Row[] = [];
    this.add(rows, "", 1);
    this.host.working(this.asked.size > 0);
    if (this.asked.size && this.rows.length === 0) return;
    this.rows = rows;
    if (!rows.some((r) => r.key === this.current)) this.current = [...rows].reverse().find((r) => this.current.startsWith(r.key + ","))?.key ?? rows[0]?.key ?? "";
    this.list.replaceChildren(...rows.map((r) => r.el));
    this.mark();
    const root = this.pages.get("");
    this.host.note(root ? `${group(root.total)} ${root.total === 1 ? "value" : "values"}` : "");
  }

  // add adds rows for the children of a value.
  private add(rows: Row[], parent: string, level: number) {
    const page = this.pages.get(parent);
    if (!page) {
      this.ask(parent, 0);
      return;
    }
    const row = (key: string, i: number, item: Item | null, attrs: Record<string, string | null>, ...children: Node[]) => {
      const el = h("div", { class: item ? "item" : "item more", id: `value-${key}`, role: "treeitem", "aria-level": level, "aria-posinset": i + 1, "aria-setsize": page.total, ...attrs }, ...children);
      el.style.setProperty("--level", String(level)); // the page may have no style attributes
      rows.push({ key, parent, item, el });
    };
    page.items.forEach((item, i) => {
      if (rows.length >= maxRows) return;
      const key = parent ? `${parent},${i}` : String(i), open = item.count > 0 && this.open.has(key);
      const what = item.count > 0 ? `${item.type}, ${group(item.count)} ${item.count === 1 ? "value" : "values"}` : item.type;
      row(key, i, item, { "aria-expanded": item.count > 0 ? String(open) : null, "aria-label": `${item.label}: ${item.text} ${what}` },
        h("span", { class: "twist", "aria-hidden": "true" }, item.count === 0 ? "" : open ? "▾" : "▸"),
        h("span", { class: "key" }, item.label), h("span", { class: "text" }, item.text), h("span", { class: "dim" }, what));
      if (open) this.add(rows, key, level + 1);
    });
    const rest = page.total - page.items.length;
    if (rest > 0 && rows.length < maxRows) {
      const text = `${group(Math.min(rest, pageSize))} more of ${group(rest)}`;
      row(`${parent},more`, page.items.length, null, { "aria-label": text }, h("span", { class: "twist" }), h("span", { class: "key" }, text));
    }
  }

  // ask requests children of a value, starting at index from.
  private async ask(parent: string, from: number) {
    if (this.asked.has(parent)) return;
    const { ctl } = this, old = this.pages.get(parent);
    this.asked.add(parent);
    this.host.working(true);
    try {
      const page = await getJSON<Page>(arrayPath(this.host.info!.id, "tree") + query(null, { path: parent || null, from, count: pageSize }), ctl.signal);
      if (ctl.signal.aborted) return;
      this.pages.set(parent, from && old ? { total: page.total, items: [...old.items, ...page.items] } : page);
    } catch (err) {
      if (ctl.signal.aborted) return;
      this.open.delete(parent);
      if (from === 0) this.pages.set(parent, { total: 0, items: [] });
      this.host.fail(message(err).startsWith("path=") ? new Error("the value is no longer there: the file has changed") : err);
    }
    this.asked.delete(parent);
    this.draw();
  }

  private index(): number {
    return this.rows.findIndex((r) => r.key === this.current);
  }

  private select(row: Row | undefined) {
    if (!row) return;
    this.current = row.key;
    this.mark();
    row.el.scrollIntoView({ block: "nearest" });
  }

  // mark marks the selected row. The focus stays on the list.
  private mark() {
    for (const r of this.rows) r.el.setAttribute("aria-selected", String(r.key === this.current));
    if (this.current) this.list.setAttribute("aria-activedescendant", `value-${this.current}`);
  }

  // toggle expands or collapses a value, or requests more children.
  private toggle(row: Row | undefined) {
    if (!row) return;
    if (!row.item) {
      const n = this.pages.get(row.parent)!.items.length;
      this.current = row.parent ? `${row.parent},${n}` : String(n);
      this.ask(row.parent, n);
      return;
    }
    if (row.item.count === 0) return;
    if (!this.open.delete(row.key)) this.open.add(row.key);
    this.draw();
  }

  key(e: KeyboardEvent): boolean {
    const i = this.index(), row = this.rows[i], open = row?.el.getAttribute("aria-expanded");
    const page = Math.max(1, Math.floor(this.el.clientHeight / 26) - 1);
    const to: Record<string, number> = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: this.rows.length - 1, PageDown: i + page, PageUp: i - page };
    if (e.key in to) this.select(this.rows[clamp(to[e.key], 0, this.rows.length - 1)]);
    else if (e.key === "Enter" || e.key === " ") this.toggle(row);
    else if (e.key === "ArrowRight") open === "true" ? this.select(this.rows[i + 1]) : this.toggle(row);
    else if (e.key === "ArrowLeft") open === "true" ? this.toggle(row) : this.select(this.rows.find((r) => r.key === row?.parent));
    else return false;
    return true;
  }
}

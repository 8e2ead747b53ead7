// The list of open files, which follows changes of folders.

import { getJSON, type Source } from "./api";
import { h } from "./dom";
import type { App } from "./main";
import { initial } from "./state";

export class SourceList {
  private sources: Source[] = [];
  private search = h("input", { type: "search", "aria-label": "search the list", placeholder: "search", oninput: () => this.filter() });
  private list = h("ul", {});
  readonly el = h("nav", { class: "sources", "aria-label": "open files" }, h("h2", {}, "Open"), this.search, this.list);

  constructor(private app: App) {}

  /** start requests the list, shows it, and follows it. */
  async start() {
    this.sources = (await getJSON<{ sources: Source[] }>("/api/sources")).sources;
    this.fill();
    this.follow();
  }

  /** flat returns all entries of the list, including folders and their contents. */
  flat(list = this.sources): Source[] {
    return list.flatMap((s) => [s, ...this.flat(s.children ?? [])]);
  }

  private fill() {
    const item = (s: Source): HTMLElement => {
      if (s.kind === "array") {
        return h("li", {}, h("button", {
          type: "button", class: "source", "data-id": s.id, title: s.error ? `${s.name}: ${s.error}` : s.name,
          onclick: () => {
            this.app.closeDrawers();
            this.app.open({ ...initial, src: s.id });
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
    if (this.app.info) this.mark(this.app.view.src);
  }

  // filter shows the arrays whose names or shapes match all words of the search. A shape can be written as 50 × 7 or
  // 50x7.
  private filter() {
    const words = this.search.hidden ? [] : this.search.value.toLowerCase().replace(/(?<=\d)\s*[×x]\s*(?=\d)/g, "×").split(/\s+/).filter(Boolean);
    for (const b of this.list.querySelectorAll<HTMLElement>(".source")) {
      const text = b.textContent!.toLowerCase(), shape = ` ${b.querySelector("small")?.textContent ?? ""} `;
      b.parentElement!.hidden = !words.every((w) => text.includes(w) || (w.includes("×") && shape.includes(` ${w.replaceAll("×", " × ")} `)));
    }
    for (const d of [...this.list.querySelectorAll("details")].reverse()) d.parentElement!.hidden = words.length > 0 && !d.querySelector("li:not([hidden]) > .source");
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
        if (JSON.stringify(sources) === JSON.stringify(this.sources)) continue;
        this.sources = sources;
        this.fill();
      } catch {
        // The watch of the current array reports that the server does not respond.
      }
    }
  }

  /** mark marks the current array. */
  mark(id: string) {
    for (const b of this.el.querySelectorAll<HTMLElement>("[data-id]")) {
      if (b.dataset.id === id) b.setAttribute("aria-current", "true");
      else b.removeAttribute("aria-current");
    }
  }

  /** focus shows the list if it is hidden, and focuses it. */
  focus() {
    document.body.classList.add("show-sources");
    (this.el.querySelector<HTMLElement>("[aria-current]") ?? this.el.querySelector<HTMLElement>("button"))?.focus();
  }
}

// The head of the page: the name of the array, the modes, and the tools.

import { button, h, icons } from "./dom";
import type { App } from "./main";
import type { Mode } from "./state";
import { toggleTheme } from "./theme";

const keyOf = { image: "i", lines: "l", table: "b", tree: "e" };

export class Head {
  readonly title = h("h1", {});
  private dtype = h("span", { class: "dtype" });
  private tabs: HTMLButtonElement[];
  readonly el: HTMLElement;

  constructor(app: App) {
    this.tabs = (["image", "lines", "table", "tree"] as Mode[]).map((m) =>
      h("button", { type: "button", role: "tab", "data-mode": m, title: `${m} (${keyOf[m]})`, onclick: () => app.setMode(m) }, m[0].toUpperCase() + m.slice(1)));
    this.el = h("header", {},
      button("open files", "o", icons.menu, () => app.sources.focus(), { class: "tool only-narrow" }),
      h("div", { class: "name" }, this.title, this.dtype),
      h("div", { class: "tabs", role: "tablist", "aria-label": "view as" }, ...this.tabs),
      h("div", { class: "tools", role: "group", "aria-label": "tools" },
        button("copy as Go or NumPy", "y", icons.copy, () => app.saving.copy()),
        button("save", "s", icons.save, () => app.saving.open()),
        button("light or dark", "d", icons.sun, () => {
          toggleTheme();
          app.rethemed();
        }),
        h("button", { type: "button", class: "tool", "aria-label": "keys", title: "keys (?)", onclick: () => app.help.showModal() }, "?"),
        button("controls", "", icons.tune, () => app.openDrawer("controls"), { class: "tool only-small" })));
  }

  /** show shows a name and a description of the elements. */
  show(name: string, what: string) {
    this.title.textContent = name;
    this.dtype.textContent = what;
  }

  /** choose marks the current mode, and disables all modes except those in can. */
  choose(mode: string, can: Mode[]) {
    for (const t of this.tabs) {
      t.setAttribute("aria-selected", String(t.dataset.mode === mode));
      t.tabIndex = t.dataset.mode === mode ? 0 : -1;
      t.disabled = !can.includes(t.dataset.mode as Mode);
      if (t.dataset.mode === "tree") t.hidden = t.disabled;
    }
  }

  /** can reports whether a mode is enabled. */
  can(mode: Mode): boolean {
    return !this.tabs.find((t) => t.dataset.mode === mode)!.disabled;
  }

  /** nextTab activates the tab at distance by from tab. */
  nextTab(tab: HTMLButtonElement, by: number) {
    const open = this.tabs.filter((b) => !b.disabled);
    const next = open[(open.indexOf(tab) + by + open.length) % open.length];
    next.focus();
    next.click();
  }
}

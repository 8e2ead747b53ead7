// The categories: the colour, the value or label, and the count of each integer.

import { kindColours } from "./colors";
import { h } from "./dom";
import { full, group, percent } from "./num";

/** Kinds are distinct integers, and the number of elements that are equal to each. */
export interface Kinds {
  values: number[];
  counts: number[];
  sampled: boolean; // the counts are of a sample
}

export type Labels = Record<string, string> | null;

/** kindText returns the label of an integer, or the integer itself. */
export function kindText(x: number, labels: Labels, base: string): string {
  const text = full(x, base);
  return labels?.[text] ?? text;
}

export class Categories {
  private rows = h("tbody", {});
  private count = h("th", { scope: "col" });
  // The list can be longer than its box, so the keyboard must be able to scroll it.
  readonly el = h("div", { class: "categories", role: "region", tabindex: 0, "aria-label": "values and their counts", hidden: true },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "value"), this.count, h("th", { scope: "col" }, "share"))), this.rows));
  private key = "";

  /** The list has no colours if coloured is false. */
  constructor(private coloured = true) {}

  /** show lists the categories. It hides the list if kinds is null. */
  show(kinds: Kinds | null, labels: Labels, base: string) {
    this.el.hidden = kinds === null;
    const key = JSON.stringify([kinds, labels, base]);
    if (kinds === null || key === this.key) return;
    this.key = key;
    const all = kinds.counts.reduce((n, m) => n + m, 0), about = kinds.sampled ? "≈ " : "", colours = kindColours(kinds.values);
    this.count.textContent = kinds.sampled ? "count in a sample" : "count";
    this.rows.replaceChildren(...kinds.values.map((x, i) => {
      const swatch = this.coloured && h("span", { class: "patch", "aria-hidden": "true" }), text = kindText(x, labels, base);
      if (swatch) swatch.style.background = `rgb(${colours[i]})`;
      return h("tr", {}, h("th", { scope: "row", title: text === full(x, base) ? text : `${full(x, base)}: ${text}` }, swatch, text),
        h("td", {}, group(kinds.counts[i])), h("td", {}, about + percent(kinds.counts[i], all)));
    }));
  }
}

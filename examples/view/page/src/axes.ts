// The values at the indices of axes, as text. They are requested when they are first needed, and cached.

import { aborted, arrayPath, getJSON, type Info } from "./api";

const most = 200; // maximum number of indices in a request
const kept = 5000; // maximum number of cached texts

export class AxisTexts {
  private texts = new Map<string, string>();
  private wanted = new Map<string, { a: Info; k: number; indices: Set<number> }>();
  private timer = 0;

  constructor(private arrived: () => void) {}

  /** text returns the value at an index, or null if the axis has no values or the value has not arrived yet. */
  text(a: Info, k: number, i: number): string | null {
    if (!a.axes?.[k]?.valued) return null;
    const key = `${a.id} ${a.version} ${k}`, have = this.texts.get(`${key} ${i}`);
    if (have !== undefined) return have;
    if (!this.wanted.has(key)) this.wanted.set(key, { a, k, indices: new Set() });
    this.wanted.get(key)!.indices.add(i);
    this.timer ||= window.setTimeout(() => this.ask(), 20);
    return null;
  }

  /** waiting reports whether a request is pending. */
  get waiting(): boolean {
    return this.wanted.size > 0;
  }

  private async ask() {
    for (const [key, { a, k, indices }] of [...this.wanted]) {
      const some = [...indices].slice(0, most);
      try {
        const { texts, described } = await getJSON<{ texts: string[]; described?: string }>(`${arrayPath(a.id, "axis")}?axis=${k}&index=${some.join(",")}`);
        if (described) a.described = described; // the description file has become invalid since the array was requested
        if (this.texts.size > kept) this.texts.clear();
        some.forEach((i, n) => this.texts.set(`${key} ${i}`, texts[n]));
      } catch (err) {
        if (!aborted(err)) some.forEach((i) => this.texts.set(`${key} ${i}`, String(i))); // show the index instead
      }
      for (const i of some) indices.delete(i);
      if (indices.size === 0) this.wanted.delete(key);
      this.arrived();
    }
    this.timer = this.wanted.size > 0 ? window.setTimeout(() => this.ask(), 20) : 0;
  }
}

/** axisName returns the name of an axis with its unit, or "" if the axis has no name. */
export function axisName(a: Info, k: number): string {
  const x = a.axes?.[k];
  return !x?.name ? "" : x.unit ? `${x.name} (${x.unit})` : x.name;
}

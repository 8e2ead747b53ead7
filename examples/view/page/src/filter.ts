// The filter of the list: words that entries must match by name, dtype or shape.

/** words splits the text of the filter. Spaces within a shape, as in "3, 4" and "3 × 4", do not separate words. */
export function words(text: string): string[] {
  return text.toLowerCase().replace(/(?<=\d)\s*×\s*(?=\d)/g, "×").replace(/(?<=\d)\s+x\s+(?=\d)/g, "×").replace(/,\s+(?=[\d*)])/g, ",").split(/\s+/).filter(Boolean);
}

/**
 * matches reports whether an entry matches a word: a part of its name, its dtype, its number of dimensions (3d), or
 * lengths of its shape. 3,4 are lengths anywhere, 3, at the start, ,4 at the end, and (3,4) all; * is any length.
 */
export function matches(word: string, name: string, summary: string): boolean {
  const [dtype, lengths = ""] = summary.split(" · "), shape = lengths ? lengths.split(" × ") : [];
  return name.toLowerCase().includes(word) || (summary !== "" && (matchesDType(word, dtype.toLowerCase()) || matchesShape(word, shape)));
}

function matchesDType(word: string, dtype: string): boolean {
  const [, long, bits] = /^(float|int|uint|complex)(\d+)$/.exec(word) ?? []; // NumPy's names, such as float32
  if (long) word = long[0] + Number(bits) / 8;
  if (word === "bool") word = "b1";
  return word === dtype || word === dtype.replace(/^[<>|=]/, "");
}

function matchesShape(word: string, shape: string[]): boolean {
  const rank = /^(\d+)d$/.exec(word);
  if (rank) return shape.length === Number(rank[1]);
  const m = /^(\()?(,)?((?:\d+|\*)(?:[,×x](?:\d+|\*))*)(,)?(\))?$/.exec(word);
  if (!m) return false;
  const [, open, after, list, before, close] = m, want = list.split(/[,×x]/), last = shape.length - want.length;
  const start = open || (before && !close), end = close || after; // the word says where the lengths are
  for (let k = end ? Math.max(0, last) : 0; k <= (start ? Math.min(0, last) : last); k++) {
    if (want.every((w, i) => w === "*" || w === shape[k + i])) return true;
  }
  return false;
}

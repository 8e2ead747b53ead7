// Elements as text to copy or save, requested in blocks.

import { arrayPath, getJSON, query, type Info, type Rows } from "./api";
import { sel, type View } from "./state";

const maxRows = 500, maxCols = 200; // maximum size of a response
export const maxCells = 1_000_000;

/** Part is a range of rows and columns on the axes y and x. If y is -1, there are only rows, along x. */
export interface Part {
  y: number;
  x: number;
  row: number;
  rows: number;
  col: number;
  cols: number;
}

/** cells returns the elements of a part as text, with the names of the columns. */
export async function cells(a: Info, v: View, p: Part): Promise<{ columns: string[]; rows: string[][] }> {
  if (p.rows * p.cols > maxCells) throw new Error(`${p.rows} × ${p.cols} elements are more than ${maxCells}: zoom in, or save them as .npy`);
  const columns: string[] = [], rows: string[][] = Array.from({ length: p.rows }, () => []);
  for (let c = 0; c < p.cols; c += maxCols) {
    for (let r = 0; r < p.rows; r += maxRows) {
      const count = Math.min(maxRows, p.rows - r), colcount = Math.min(maxCols, p.cols - c);
      const part = await getJSON<Rows>(arrayPath(a.id, "rows") + query({ ...sel(v), ...(v.mode === "table" ? { minus: "" } : {}), part: a.kind === "complex" ? "" : v.part }, p.y < 0
        ? { axis: p.x, from: p.row + r, count, ...(a.kind === "struct" ? { colfrom: p.col + c, colcount } : {}) }
        : { axis: p.y, from: p.row + r, count, cols: p.x, colfrom: p.col + c, colcount }));
      if (r === 0) columns.push(...part.columns);
      part.rows.forEach((texts, k) => rows[r + k].push(...texts));
    }
  }
  return { columns, rows };
}

/** tsv formats rows for spreadsheets in the clipboard. */
export function tsv(rows: string[][]): string {
  return rows.map((r) => r.map((t) => t.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

/** csv formats rows according to RFC 4180. */
export function csv(rows: string[][]): string {
  return rows.map((r) => r.map((t) => (/[",\r\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t)).join(",") + "\r\n").join("");
}

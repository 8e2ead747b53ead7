// What the image, the lines and the table have in common.

import type { Info } from "./api";
import type { AxisTexts } from "./axes";
import type { View } from "./state";
import type { XSource } from "./xaxis";

/** Cursor is an element that the pointer or the keys are at. */
export interface Cursor {
  at: number[];
  channels?: number; // the axis of the colours, of which all are shown
}

/** Host is the page around a pane. */
export interface Host {
  readonly view: View;
  readonly info: Info | null;
  /** texts are what lies at the indices of axes. */
  readonly texts: AxisTexts;
  /** along is what lies along x in the lines, null for the index. */
  along(): XSource | null;
  /** change sets parts of the view, and shows it. */
  change(patch: Partial<View>): void;
  /** point shows the index, the value and the byte of an element, or nothing. */
  point(c: Cursor | null): void;
  /** note shows how what is on screen was made. */
  note(text: string): void;
  /** fail shows an error. */
  fail(err: unknown): void;
  /** working says whether a pane waits for the server. */
  working(on: boolean): void;
}

export interface Region {
  y0: number;
  y1: number;
  x0: number;
  x1: number;
}

export interface Pane {
  readonly el: HTMLElement;
  /** show draws the view of the array; it is called whenever one of them has changed. */
  show(): void;
  /** hide stops all work. */
  hide(): void;
  /** key handles a key that was pressed on the pane, and says whether it did. */
  key(e: KeyboardEvent): boolean;
  /** visible is what is on screen, in elements of the axes [y, x] (-1: no such axis). */
  visible(): { y: number; x: number; region: Region } | null;
}

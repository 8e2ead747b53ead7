// The interface that the image, the lines and the table share.

import type { Info } from "./api";
import type { AxisTexts } from "./axes";
import type { View } from "./state";
import type { XSource } from "./xaxis";

/** Cursor is the element at the pointer, or the one selected with keys. */
export interface Cursor {
  at: number[];
  channels?: number; // the axis of the colours; the foot shows all channels
}

/** Host is the page that contains a pane. */
export interface Host {
  readonly view: View;
  readonly info: Info | null;
  /** texts holds the values of axes. */
  readonly texts: AxisTexts;
  /** along returns the source of the values along x in lines, or null if x is the index. */
  along(): XSource | null;
  /** change updates properties of the view, and shows it. */
  change(patch: Partial<View>): void;
  /** point shows the index, the value and the byte of an element, or clears them. */
  point(c: Cursor | null): void;
  /** note shows a note about the picture in the foot. */
  note(text: string): void;
  /** fail shows an error. */
  fail(err: unknown): void;
  /** working shows or hides the sign that a pane waits for the server. */
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
  /** show draws the view. It is called whenever the view or the array has changed. */
  show(): void;
  /** hide stops all work. */
  hide(): void;
  /** key handles a pressed key. It returns false if the key has no effect. */
  key(e: KeyboardEvent): boolean;
  /** visible returns the elements on screen, on the axes [y, x]. An axis of -1 does not exist. */
  visible(): { y: number; x: number; region: Region } | null;
}

// Pointer gestures on a canvas: one pointer pans, two zoom. With a key held, one pointer draws a box or a line, and
// without a key it drags the grips of a box.

export interface Actions {
  pan(dx: number, dy: number): void;
  zoom(f: number, px: number, py: number): void;
  point(e: PointerEvent | null): void;
  /** span begins a box or a line. The result is called repeatedly with the position of its end. */
  span(kind: "box" | "line", from: Place): Pull | null;
  /** grip begins to drag the box if it has a grip at the position. fine is false for fingers. */
  grip(from: Place, fine: boolean): Pull | null;
  /** released is called when the user stops to draw or to drag. */
  released(): void;
}

/** Pull is called with each new position of the pointer. */
export type Pull = (to: Place) => void;

export interface Place {
  x: number;
  y: number;
}

export class Gestures {
  private pointers = new Map<number, Place>();
  private moved = 0;
  private pull: Pull | null = null; // moves the dragged box or line; null if the pointer pans

  constructor(private canvas: HTMLElement, private act: Actions) {
    const c = canvas;
    c.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    c.addEventListener("pointerdown", (e) => this.down(e));
    c.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"] as const) c.addEventListener(end, (e) => this.up(e));
    c.addEventListener("pointerleave", (e) => {
      if (!this.pointers.size && e.pointerType === "mouse") act.point(null); // a finger also leaves when it is lifted
    });
    c.addEventListener("dblclick", (e) => act.zoom(e.shiftKey ? 0.5 : 2, e.offsetX, e.offsetY));
  }

  private wheel(e: WheelEvent) {
    e.preventDefault();
    const d = e.deltaY * (e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1);
    if (e.shiftKey) this.act.pan(d, e.deltaX);
    else this.act.zoom(Math.exp(-Math.min(400, Math.max(-400, d)) * (e.ctrlKey ? 0.01 : 0.002)), e.offsetX, e.offsetY);
  }

  private down(e: PointerEvent) {
    if (e.button !== 0) return;
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(e.pointerId);
    const at = { x: e.offsetX, y: e.offsetY };
    this.pointers.set(e.pointerId, at);
    this.moved = 0;
    this.pull = this.pointers.size > 1 ? null : e.shiftKey ? this.act.span("box", at) : e.ctrlKey || e.metaKey ? this.act.span("line", at) : this.act.grip(at, e.pointerType === "mouse");
  }

  private move(e: PointerEvent) {
    const old = this.pointers.get(e.pointerId);
    if (!old) {
      this.act.point(e);
      return;
    }
    const now = { x: e.offsetX, y: e.offsetY };
    if (this.pointers.size === 1) {
      this.moved += Math.abs(now.x - old.x) + Math.abs(now.y - old.y);
      if (this.moved <= 3) return;
      if (this.pull) this.pull(now);
      else {
        this.canvas.parentElement?.classList.add("dragging");
        this.act.pan(old.x - now.x, old.y - now.y);
        this.pointers.set(e.pointerId, now);
      }
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)![1];
    const d = (p: Place) => Math.hypot(p.x - other.x, p.y - other.y);
    const f = d(now) / Math.max(1, d(old));
    this.act.pan((old.x - now.x) / 2, (old.y - now.y) / 2);
    this.act.zoom(f, (now.x + other.x) / 2, (now.y + other.y) / 2);
    this.pointers.set(e.pointerId, now);
  }

  private up(e: PointerEvent) {
    if (!this.pointers.delete(e.pointerId)) return;
    this.canvas.parentElement?.classList.remove("dragging");
    if (this.moved <= 3) this.act.point(e);
    this.pull = null;
    this.act.released();
  }
}

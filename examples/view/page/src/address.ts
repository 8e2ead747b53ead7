// The address of the page, which reproduces the view, and the steps of the browser's history.

import { format, parse, type View } from "./state";

export class Address {
  private saved = 0;
  private step = ""; // what is in the last step of the history
  private address = ""; // what was last read from the address bar, or written there

  /** read returns the view that the address says. */
  read(): View {
    clearTimeout(this.saved);
    this.address = location.hash;
    this.step = ""; // the address has it
    return parse(this.address.slice(1));
  }

  /** write has the address reproduce a view, once that has been still for a moment. */
  write(v: View) {
    clearTimeout(this.saved);
    this.saved = window.setTimeout(() => {
      // An address that was entered while this waited stays: its hashchange is on the way.
      if (location.hash !== this.address) return;
      // What a person may want to go back to is a step of the browser's history; where the view is moved to is none.
      const step = JSON.stringify([v.src, v.field, v.part, v.mode, v.y, v.x, v.lx, v.map, v.range, v.plo, v.phi, v.perFrame, v.range === "hand" && [v.lo, v.hi]]);
      const hash = "#" + format(v);
      if (this.step && this.step !== step && hash !== location.hash) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
      this.step = step;
      this.address = location.hash;
    }, 120);
  }
}

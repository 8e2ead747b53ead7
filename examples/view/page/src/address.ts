// The address of the page, which reproduces the view, and the entries in the browser's history.

import { format, parse, type View } from "./state";

export class Address {
  private saved = 0;
  private step = ""; // the view in the current entry of the history
  private address = ""; // the hash that was last read from or written to the address bar

  /** read parses the view in the address. */
  read(): View {
    clearTimeout(this.saved);
    this.address = location.hash;
    this.step = ""; // the history already has this view
    return parse(this.address.slice(1));
  }

  /** write updates the address to reproduce a view, once the view has not changed for a moment. */
  write(v: View) {
    clearTimeout(this.saved);
    this.saved = window.setTimeout(() => {
      // If an address was entered during the delay, keep it: its hashchange event is pending.
      if (location.hash !== this.address) return;
      // Changes that a person may want to undo add an entry to the history. Panning and zooming replace the current
      // entry.
      const step = JSON.stringify([v.src, v.field, v.project, v.part, v.mode, v.y, v.x, v.lx, v.map, v.range, v.plo, v.phi, v.perFrame, v.range === "hand" && [v.lo, v.hi]]);
      const hash = "#" + format(v);
      if (this.step && this.step !== step && hash !== location.hash) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
      this.step = step;
      this.address = location.hash;
    }, 120);
  }
}

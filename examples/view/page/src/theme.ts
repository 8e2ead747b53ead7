// The light or dark theme: as chosen on this page, or else as set in the system.

/** followTheme sets the theme, and calls changed when the system's theme changes. */
export function followTheme(changed: () => void) {
  setTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    setTheme();
    changed();
  });
}

function setTheme(name = stored()) {
  const dark = name === "dark" || (name !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** toggleTheme changes the theme and stores the choice. */
export function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", next);
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
  setTheme(next);
}

function stored(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

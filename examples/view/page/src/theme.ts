// Light or dark: as chosen here before, or else as the system is.

/** followTheme sets the theme, and calls changed whenever the system changes it. */
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

/** toggleTheme changes the theme, and keeps that. */
export function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", next);
  } catch {
    // It lasts until the page is left.
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

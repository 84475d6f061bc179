/** Light, dark, or as the system has it. */

import { icon } from "./elements.js";
import { forGood } from "./kept.js";
import { say } from "./language.js";

const THEMES = ["system", "light", "dark"];
const ICONS = { system: "theme", light: "sun", dark: "moon" };
const LABELS = { system: "theme_system", light: "theme_light", dark: "theme_dark" };

/** Lets a button go through the themes. @param {HTMLElement} toggle */
export function themeToggle(toggle) {
  let theme = forGood.get("theme") ?? "system";
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    toggle.replaceChildren(icon(ICONS[theme] ?? "theme"));
    toggle.title = say(LABELS[theme] ?? "theme_system");
    toggle.setAttribute("aria-label", toggle.title);
  };
  toggle.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    forGood.set("theme", theme === "system" ? null : theme);
    show();
  });
  show();
}

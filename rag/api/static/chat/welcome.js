/** What an empty conversation shows: what this is, and a few questions that the book itself asks. */

import { button, element } from "../elements.js";

const SHOWN = 4;

/**
 * @param {{title: string, modules: {name: string, title: string|null}[], subjects: {title: string, module: string}[]}|null} book
 * @param {(question: string) => void} ask
 */
export function welcome(book, ask) {
  const names = new Map(book?.modules.map((module) => [module.name, module.title ?? module.name]));
  const example = ({ title, module }) => element("li", {},
    button({ class: "example", onclick: () => ask(questionOf(title)) },
      element("span", { class: "example-question", dir: "auto" }, questionOf(title)),
      element("span", { class: "example-module", dir: "auto" }, names.get(module) ?? module)));
  const subjects = spread(book?.subjects ?? []);
  return element("section", { class: "welcome", "aria-label": "Welcome" },
    element("p", { class: "welcome-title" }, "What would you like to know?"),
    element("p", { class: "welcome-words" }, "Answers come from the book alone, and every one names the passages it rests on."),
    subjects.length ? element("ul", { class: "examples", "aria-label": "Questions to begin with" }, ...subjects.map(example)) : null);
}

/** A heading as a question: most are names of a subject. */
function questionOf(title) {
  return /[?؟？]$/.test(title) ? title : `What does the book say about “${title}”?`;
}

/** The subjects of different modules, the real questions first. */
function spread(subjects) {
  return [...subjects].sort((one, other) => other.title.endsWith("?") - one.title.endsWith("?")).slice(0, SHOWN);
}

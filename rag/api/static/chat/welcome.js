/** Questions that the book itself suggests: in an empty conversation, and behind an answer. */

import { button, element } from "../elements.js";
import { say, sayPlainly } from "../language.js";

const SHOWN = 4;

/**
 * @param {{title: string, modules: {name: string, title: string|null, chunks: number}[], subjects: {title: string, module: string}[]}|null} book
 * @param {string[]} own the owner's questions, which stand instead of the book's headings
 * @param {(question: string) => void} ask
 */
export function welcome(book, own, ask) {
  const names = new Map(book?.modules.map((module) => [module.name, module.title ?? module.name]));
  const example = ({ question, module }) => element("li", {},
    button({ class: "example", onclick: () => ask(question) },
      element("span", { class: "example-question", dir: "auto" }, question),
      module ? element("span", { class: "example-module", dir: "auto" }, names.get(module) ?? module) : null));
  const subjects = own.length ? own.map((question) => ({ question }))
    : book ? spread(book).map(({ title, module }) => ({ question: questionOf(title), module })) : [];
  return element("section", { class: "welcome", "aria-label": say("welcome") },
    element("p", { class: "welcome-title" }, say("welcome_title")),
    element("p", { class: "welcome-words" }, say("welcome_words")),
    subjects.length ? element("ul", { class: "examples", "aria-label": say("begin_with") }, ...subjects.map(example)) : null);
}

/**
 * What could be asked next: sections beside those that the answer cites.
 * @param {{page_title: string, section_title: string, question: string}[]} places each with the question that leads there
 * @param {(question: string) => void} ask
 */
export function followUps(places, ask) {
  const entry = ({ page_title: page, section_title: section, question }) => element("li", {},
    button({ class: "example", onclick: () => ask(question), title: question },
      element("span", { class: "example-question", dir: "auto" }, section),
      element("span", { class: "example-module", dir: "auto" }, page)));
  return element("section", { class: "follow-ups" },
    element("h3", {}, say("ask_next")), element("ul", { class: "examples" }, ...places.map(entry)));
}

/** A heading as a question: most are names of a subject. */
function questionOf(title) {
  return /[?؟？]$/.test(title) ? title : sayPlainly("question_about", { title });
}

/** The real questions first, then the subjects of the largest modules. */
function spread({ modules, subjects }) {
  const chunks = new Map(modules.map((module) => [module.name, module.chunks]));
  const rank = ({ title, module }) => (questionOf(title) === title ? Infinity : chunks.get(module));
  return subjects.toSorted((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one))).slice(0, SHOWN);
}

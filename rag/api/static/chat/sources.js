/** The sources below an answer, and what each is called. */

import { button, element, iconButton } from "../elements.js";
import { direction, say } from "../language.js";
import { isWebAddress } from "../markdown/inline.js";

/**
 * A passage that an answer cites, as the server tells it (schema `Source`).
 * @typedef {{number: number|null, chunk_text: string, chunk_id: string, chunk_index: number, similarity_score: number,
 *   chapter: string, section: string, url: string, page_title: string, heading_path: string[], source_file: string,
 *   line_start: number, line_end: number, content_hash: string|null, parent_doc_id: string|null, verified: boolean}} Source
 */

const HEADING = /^#{2,6}\s+(.+?)\s*#*$/m;

/** Where the passage stands in its lesson, from the chapter down; without the lesson's title. */
export function placeOf(source) {
  const [first, ...others] = source.heading_path;
  const path = first === source.page_title ? others : source.heading_path;
  const chapter = source.chapter === source.page_title ? [] : [source.chapter];
  // What is cited has its own headings; only a whole passage is named by the first heading in it.
  const begins = path.length || source.number ? path : headingIn(source.chunk_text);
  return [...chapter, ...begins].join(" › ");
}

/** A passage of several sections stands under none of them; the first that it begins names it. */
function headingIn(text) {
  if (text.startsWith("# ")) return [say("beginning")];
  return HEADING.exec(text)?.slice(1, 2) ?? [];
}

/** Lines are addresses: written without marks between thousands, and one of them is no range. */
const range = ({ line_start: first, line_end: last }) => (first === last ? String(first) : `${first}–${last}`);

/** The file and its lines, as editors write it. */
export const linesOf = (source) => `${source.source_file}:${range(source)}`;

/** An answer as it is copied into a document: with what its numbers mean. @param {string} text @param {Source[]} sources */
export function withSources(text, sources) {
  const lines = sources.map((source) => {
    const where = isWebAddress(source.url) ? source.url : linesOf(source);
    const place = [source.page_title, placeOf(source)].filter(Boolean).join(" › ");
    return `${source.number ? `[${source.number}]` : "-"} ${place}: ${where}`;
  });
  return `${text}\n\n${lines.join("\n")}\n`;
}

/** Attributes of a link to a lesson: in this tab on the reader's own site, else in another. */
export function lessonLink(url) {
  return new URL(url, location.href).origin === location.origin ? { href: url } : { href: url, target: "_blank", rel: "noopener" };
}

/**
 * The cards below an answer. On a site each leads to its place in the lesson, elsewhere it opens the passage.
 * @param {Source[]} sources
 * @param {(index: number, invoker: HTMLElement) => void} open
 * @param {{areLinks?: boolean}} [how]
 */
export function sourceList(sources, open, { areLinks = false } = {}) {
  const isCited = sources.some((source) => source.number);
  const places = distinctPlaces(sources);
  const entry = (source, index) => {
    const show = (event) => open(index, event.currentTarget);
    const words = cardWords(source, places[index]);
    if (!areLinks || !isWebAddress(source.url)) return element("li", {}, button({ class: "source", onclick: show }, ...words));
    const name = source.number ? say("show_passage_of", { number: source.number }) : say("show_passage");
    return element("li", { class: "source-pair" },
      element("a", { class: "source", ...lessonLink(source.url) }, ...words),
      iconButton("book", name, { class: "small", onclick: show }));
  };
  return element("section", { class: "sources" },
    element("h3", {}, say(isCited ? "sources" : "passages_made_from")),
    element("ol", {}, ...sources.map(entry)));
}

function cardWords(source, place) {
  return [
    element("span", { class: "badge", "aria-hidden": "true" }, source.number ? String(source.number) : "·"),
    // All in the direction of the title, which the words of the page do not decide.
    element("span", { class: "source-words", dir: "auto" },
      element("span", { class: "source-title" },
        source.number ? element("span", { class: "unseen", dir: direction }, `${say("source_number", { number: source.number })}: `) : null, source.page_title),
      place ? element("span", { class: "source-place" }, place) : null,
      source.verified === false ? element("span", { class: "source-place" }, say("not_confirmed")) : null),
  ];
}

/** The place of each source; those that would look the same are told apart by their lines, then by their files. */
function distinctPlaces(sources) {
  const words = (source, place) => `${source.page_title}\n${place}`;
  const repeats = (places) => {
    const counts = Map.groupBy(sources.map((source, at) => words(source, places[at])), (each) => each);
    return (at) => counts.get(words(sources[at], places[at])).length > 1;
  };
  const lines = (source) => say("lines", { count: source.line_end - source.line_start + 1, range: range(source) });
  return [lines, ({ source_file: file }) => file].reduce((places, more) => {
    const isRepeated = repeats(places);
    return places.map((place, at) => (isRepeated(at) ? [place, more(sources[at])].filter(Boolean).join(" · ") : place));
  }, sources.map(placeOf));
}

/** The sources below an answer, and what each is called. */

import { button, element } from "../elements.js";

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
  const begins = path.length ? path : headingIn(source.chunk_text);
  return [...chapter, ...(begins.length ? begins : [`lines ${source.line_start}–${source.line_end}`])].join(" › ");
}

/** A passage of several sections stands under none of them; the first that it begins names it. */
function headingIn(text) {
  if (text.startsWith("# ")) return ["Beginning"];
  return HEADING.exec(text)?.slice(1, 2) ?? [];
}

/** The file and its lines, as editors write it. */
export function linesOf({ source_file: file, line_start: start, line_end: end }) {
  return `${file}:${start}–${end}`;
}

/**
 * @param {Source[]} sources
 * @param {(index: number, invoker: HTMLElement) => void} open
 */
export function sourceList(sources, open) {
  const isCited = sources.some((source) => source.number);
  const entry = (source, index) => element("li", {},
    button({ class: "source", onclick: (event) => open(index, event.currentTarget) },
      element("span", { class: "badge", "aria-hidden": "true" }, source.number ? String(source.number) : "·"),
      element("span", { class: "source-words" },
        element("span", { class: "source-title", dir: "auto" },
          source.number ? element("span", { class: "unseen" }, `Source ${source.number}: `) : null, source.page_title),
        element("span", { class: "source-place", dir: "auto" }, placeOf(source)),
        source.verified === false ? element("span", { class: "source-place" }, "Not clearly confirmed") : null)));
  return element("section", { class: "sources" },
    element("h3", {}, isCited ? "Sources" : "Passages it was made from"),
    element("ol", {}, ...sources.map(entry)));
}

/** The passage behind a citation: beside the answer where there is room, else a sheet from below. */

import { element, icon, iconButton } from "../elements.js";
import { say } from "../language.js";
import { isWebAddress } from "../markdown/inline.js";
import { copyButton, markLines, showProse } from "../markdown/prose.js";
import { renderMarks } from "../markdown/rendering.js";
import { withoutTags } from "../markdown/tags.js";
import { showDiagrams } from "./diagrams.js";
import { showPictures } from "./pictures.js";
import { lessonLink, linesOf, placeOf } from "./sources.js";

/** Pixels above the lines that are cited. */
const MARGIN = 48;

export class PassagePanel {
  /**
   * @param {import("../wire.js").Wire} wire
   * @param {{isModal: () => boolean, book: () => string|undefined}} options
   */
  constructor(wire, { isModal, book }) {
    this.wire = wire;
    this.isModal = isModal;
    this.book = book;
    this.lessons = new Map();
    this.drawsDiagrams = false;
    this.previous = iconButton("previous", say("previous_source"), { onclick: () => this.#step(-1) });
    this.next = iconButton("next", say("next_source"), { onclick: () => this.#step(1) });
    this.title = element("h2", { class: "passage-title", id: "passage-title", dir: "auto", tabindex: "-1" });
    this.number = element("p", { class: "passage-number" });
    this.body = element("div", { class: "passage-body", tabindex: "0", role: "group", "aria-label": say("passage") });
    this.element = element("dialog", { class: "passage", "aria-labelledby": "passage-title" },
      element("div", { class: "passage-bar" }, this.number,
        element("span", { class: "passage-steps" }, this.previous, this.next, iconButton("close", say("close_passage"), { onclick: () => this.close() }))),
      this.title, this.body);
    this.element.addEventListener("close", () => this.#closed());
    this.element.addEventListener("click", (event) => event.target === this.element && this.close());
  }

  get isOpen() {
    return this.element.open;
  }

  /**
   * @param {import("./sources.js").Source[]} sources
   * @param {number} index
   * @param {HTMLElement} invoker gets the focus back
   */
  open(sources, index, invoker) {
    this.sources = sources;
    this.#mark(invoker);
    this.#show(index);
    if (!this.isOpen) {
      if (this.isModal()) this.element.showModal();
      else this.element.show();
    }
    this.title.focus();
  }

  close() {
    this.element.close();
  }

  #closed() {
    const invoker = this.invoker;
    this.#mark(null);
    invoker?.focus();
  }

  /** The citation that is open is marked in the answer. */
  #mark(invoker) {
    this.invoker?.removeAttribute("aria-current");
    this.invoker = invoker;
    invoker?.setAttribute("aria-current", "true");
  }

  #step(by) {
    this.#show(this.index + by);
  }

  #show(index) {
    const source = this.sources[index];
    this.index = index;
    this.previous.disabled = index === 0;
    this.next.disabled = index === this.sources.length - 1;
    this.number.textContent = source.number ? say("source_of", { number: source.number, count: this.sources.length }) : say("passage");
    this.title.textContent = source.page_title;
    const prose = element("div", { class: "prose passage-text" });
    const note = element("p", { class: "note" });
    const place = placeOf(source);
    this.body.replaceChildren(...[
      place && element("p", { class: "passage-place", dir: "auto" }, place),
      source.verified ? null : element("p", { class: "note warn" }, icon("alert"), say("unclear_passage")),
      prose, note, facts(source),
    ].filter(Boolean));
    this.body.scrollTop = 0;
    const cited = source.number ? [source.line_start, source.line_end] : null;
    this.#showText(prose, shownText(source.chunk_text, source).text, source);
    this.#complete(source, cited, prose, note);
  }

  #showText(prose, text, source) {
    const added = showProse(prose, text);
    renderMarks(prose, this.wire.render);
    showPictures(prose, source.url);
    if (this.drawsDiagrams) added.forEach((each) => showDiagrams(each, this.wire.base));
  }

  /** A source carries the beginning of its passage; the lesson holds the whole, unless it has changed since. */
  async #complete(source, cited, prose, note) {
    if (!source.parent_doc_id) return;
    const lesson = await this.#lesson(source.parent_doc_id).catch(() => null);
    if (!prose.isConnected) return;
    const chunk = chunkOf(lesson, source);
    if (chunk) this.#markCited(prose, chunk, source, cited);
    else note.textContent = say(lesson ? "lesson_changed" : "passage_not_loaded");
  }

  /** Shows the whole passage, marks the lines that are cited, and scrolls to them. */
  #markCited(prose, chunk, source, cited) {
    const { text, lines } = shownText(chunk.text, source);
    this.#showText(prose, text, source);
    if (!cited) return;
    const [first, last] = linesWithin(chunk, source);
    const at = lines.findIndex((line) => line >= first);
    const marked = at < 0 ? [] : markLines(prose, at, lines.findLastIndex((line) => line <= last) + 1);
    // A mark of everything would tell nothing.
    if (marked.length && marked.length === prose.children.length && marked.every((each) => each.parentElement === prose)) {
      marked.forEach((each) => each.classList.remove("is-cited"));
    }
    if (marked.length) this.body.scrollTop = marked[0].getBoundingClientRect().top - this.body.getBoundingClientRect().top - MARGIN;
  }

  /** The lines that a source cites; the beginning of its passage where the lesson has changed or cannot be read. */
  async cited(source) {
    const chunk = source.parent_doc_id && chunkOf(await this.#lesson(source.parent_doc_id).catch(() => null), source);
    if (!chunk) return shownText(source.chunk_text, source).text;
    const [first, last] = linesWithin(chunk, source);
    return withoutTags(chunk.text.split("\n").slice(first, last + 1).join("\n")).text;
  }

  #lesson(parent) {
    if (!this.lessons.has(parent)) {
      const asked = this.wire.lesson(parent, this.book());
      asked.catch(() => this.lessons.delete(parent));
      this.lessons.set(parent, asked);
    }
    return this.lessons.get(parent);
  }
}

/** The passage as it is shown: the lesson's title stands above it already, and tags say nothing to a reader. */
function shownText(text, { page_title: title }) {
  return withoutTags(text.startsWith(`# ${title}\n`) ? text.slice(title.length + 2) : text);
}

function chunkOf(lesson, { content_hash: hash, chunk_index: index }) {
  const same = lesson?.chunks.filter((each) => each.content_hash === hash) ?? [];
  return same.find((each) => each.chunk_index === index) ?? same[0];
}

/** The first and the last cited line, counted from the beginning of the passage. */
function linesWithin(chunk, source) {
  const before = addedLines(chunk) - chunk.line_start;
  return [source.line_start + before, source.line_end + before];
}

/** The lines at the beginning of a passage that its file has not: a piece of a long block repeats its head. */
function addedLines({ text, line_start: start, line_end: end }) {
  const lines = text.split("\n");
  const added = lines.length - (end - start + 1);
  if (added <= 0) return 0;
  if (/^\s*(```|~~~)/.test(lines[0])) return Math.min(added, 1);
  return lines[0].includes("|") ? Math.min(added, 2) : 0;
}

function facts(source) {
  const lines = linesOf(source);
  return element("div", { class: "facts" },
    isWebAddress(source.url)
      ? element("a", { class: "open-lesson", ...lessonLink(source.url) }, say("open_lesson"), icon("out"))
      : null,
    element("p", { class: "fact" }, element("code", { dir: "ltr" }, lines), copyButton(say("copy_lines"), () => lines)),
    source.similarity_score === undefined ? null : element("p", { class: "fact" }, say("similarity", { score: source.similarity_score.toFixed(2) })));
}

/** Search while one types: passages by their words, in a box in the middle of the view; Enter asks what is written. */

import { element, icon } from "../elements.js";
import { say } from "../language.js";
import { withoutTags } from "../markdown/tags.js";
import { placeOf } from "./sources.js";

const LEAST = 2;
const LONGEST_TYPED = 1000;
const MOST_FOUND = 8;
/** Between two letters of who types fast. */
const PAUSE = 120;
const [BEFORE, AROUND] = [40, 150];

export class Search {
  /**
   * @param {{find: (query: string, limit: number, signal: AbortSignal) => Promise<{results: object[]}>,
   *   ask: (question: string) => void, open: (sources: import("./sources.js").Source[], index: number, event: Event) => void}} on
   */
  constructor(on) {
    this.on = on;
    this.sources = [];
    this.box = element("input", {
      class: "search-box", type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": "search-found", "aria-autocomplete": "list",
      maxlength: LONGEST_TYPED, dir: "auto", autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
      "aria-label": say("search_book"), placeholder: say("search_placeholder"),
      oninput: () => this.#typed(), onkeydown: (event) => this.#pressed(event),
    });
    this.list = element("ul", { class: "search-found", id: "search-found", role: "listbox", "aria-label": say("search_book"), hidden: true });
    this.status = element("p", { class: "unseen", role: "status" });
    this.element = element("dialog", { class: "modal search", "aria-label": say("search_book") },
      element("div", { class: "search-line" }, icon("search"), this.box), this.list, this.status);
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
  }

  /** @param {string} [text] what is searched at once */
  open(text) {
    if (!this.element.open) this.element.showModal();
    if (text) this.box.value = text;
    this.box.focus();
    this.box.select();
    this.#typed();
  }

  get #text() {
    return this.box.value.trim();
  }

  #typed() {
    clearTimeout(this.timer);
    this.asked?.abort();
    if (this.#text.length < LEAST) return this.#show([]);
    // What was found for fewer letters stays until there is more.
    this.#show(this.sources);
    this.timer = setTimeout(() => this.#find(), PAUSE);
  }

  async #find() {
    const { signal } = (this.asked = new AbortController());
    const text = this.#text;
    // Too short for a word of the book, too often, no connection: whoever types on is not disturbed.
    const { results } = await this.on.find(text, MOST_FOUND, signal).catch(() => ({ results: [] }));
    if (signal.aborted) return;
    this.#show(results.map(sourceOf));
    this.status.textContent = say("passages_found", { count: results.length });
  }

  #show(sources) {
    this.sources = sources;
    const words = this.#text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= LEAST);
    const entry = (index, ...content) => element("li", { role: "option", id: `search-${index}`, onclick: (event) => this.#choose(index, event) }, ...content);
    const asking = entry(0, icon("send"), element("span", { class: "search-words", dir: "auto" }, say("ask_this", { question: this.#text })));
    const found = sources.map((source, at) => entry(at + 1, icon("book"), element("span", { class: "search-words", dir: "auto" },
      element("span", { class: "source-title" }, source.page_title),
      element("span", { class: "source-place" }, placeOf(source)),
      element("span", { class: "search-excerpt" }, ...excerptOf(source.chunk_text, words)))));
    const isEmpty = this.#text.length < LEAST;
    this.list.replaceChildren(...(isEmpty ? [] : [asking, ...found]));
    this.list.hidden = isEmpty;
    this.box.setAttribute("aria-expanded", String(!isEmpty));
    this.#activate(0);
  }

  /** The focus stays in the box; what an arrow has chosen is marked, and read out. */
  #activate(index) {
    const options = [...this.list.children];
    this.at = options.length ? (index + options.length) % options.length : 0;
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === this.at)));
    options[this.at]?.scrollIntoView({ block: "nearest" });
    if (options.length) this.box.setAttribute("aria-activedescendant", `search-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  #pressed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.isComposing || !(event.key in steps || event.key === "Enter")) return;
    event.preventDefault();
    if (event.key === "Enter") this.#choose(this.at, event);
    else this.#activate(this.at + steps[event.key]);
  }

  #choose(index, event) {
    if (!this.#text) return;
    const question = this.#text;
    this.element.close();
    if (index) return this.on.open(this.sources, index - 1, event);
    this.box.value = "";
    this.#typed();
    this.on.ask(question);
  }
}

/** A found passage in the form of a source. */
function sourceOf({ id, text, chapter, anchor, page_url: url, page_title: title, ...others }) {
  const address = url && anchor ? `${url}#${anchor}` : url;
  return {
    ...others, number: null, chunk_id: id, chunk_text: text, url: address, page_title: title, verified: true,
    chapter: chapter === null ? title : say("chapter", { number: chapter }),
  };
}

/** Where a passage has a word that is searched, with such words marked; also where it ends otherwise. */
function excerptOf(markdown, words) {
  const text = withoutTags(markdown).text.replace(/^#.*$/gm, "")
    .replace(/(?<!\S):?-{2,}:?(?!\S)|(?<!\w)_+|_+(?!\w)|[*`|>~]+|\]\([^)]*\)|[[\]]/g, "").replace(/\s+/g, " ").trim();
  const begins = words.map((word) => word.slice(0, Math.max(LEAST, word.length - 2)));
  const mark = new RegExp(`(?<![\\p{L}\\p{N}])(?:${begins.join("|")})[\\p{L}\\p{N}]*`, "giu");
  const first = begins.length ? text.search(mark) : 0;
  const from = first > BEFORE ? text.indexOf(" ", first - BEFORE) + 1 : 0;
  const shown = text.slice(from, from + AROUND);
  const nodes = [from ? "…" : ""];
  let at = 0;
  for (const { 0: found, index } of begins.length ? shown.matchAll(mark) : []) {
    nodes.push(shown.slice(at, index), element("mark", {}, found));
    at = index + found.length;
  }
  return [...nodes, shown.slice(at), from + AROUND < text.length ? "…" : ""];
}

/** What the reader has chosen to ask: a book, and the filters within it; kept between visits. */

import { forGood } from "../kept.js";
import { language, say } from "../language.js";

/**
 * @typedef {{book_id?: string, module?: string, hardware_tier: number, proficiency_levels: string[],
 *   chapter_min?: number, chapter_max?: number, language?: string, parent_doc_id?: string}} Chosen
 *   The fields of a ChatRequest that are filters.
 */

const NOTHING = { hardware_tier: 1, proficiency_levels: [] };

export class Choice extends EventTarget {
  /**
   * @param {Partial<Chosen>} [fixed] what a site has set, which the reader cannot change
   * @param {string} [kept] the name under which the browser keeps the rest
   */
  constructor(fixed = {}, kept = "filters") {
    super();
    this.fixed = fixed;
    this.kept = kept;
    this.books = [];
    this.book = null;
    this.pageTitle = null;
    this.chosen = { ...NOTHING, ...read(kept), ...fixed };
  }

  /** @param {Partial<Chosen>} change */
  change(change) {
    this.chosen = { ...this.chosen, ...change, ...this.fixed };
    const { parent_doc_id: _, ...kept } = this.chosen;
    forGood.set(this.kept, JSON.stringify(kept));
    this.dispatchEvent(new Event("change"));
  }

  /** One page alone, or with null no longer so. @param {{title: string, parent_doc_id: string}|null} page */
  keepTo(page) {
    this.pageTitle = page?.title ?? null;
    this.change({ parent_doc_id: page?.parent_doc_id });
  }

  /** Back to all of the book for everybody. */
  clear() {
    this.change({ ...NOTHING, module: undefined, chapter_min: undefined, chapter_max: undefined, language: undefined, parent_doc_id: undefined });
  }

  /** To everything that the key may read. */
  widen() {
    this.clear();
    this.change({ hardware_tier: Math.max(...(this.book?.tiers ?? [1])) });
  }

  /** A book's choices are known: what it does not have is no longer chosen. */
  of(book) {
    this.book = book;
    const { module, language: code, proficiency_levels: levels, hardware_tier: tier } = this.chosen;
    this.change({
      book_id: book.book_id,
      module: book.modules.some(({ name }) => name === module) ? module : undefined,
      language: book.languages.includes(code) ? code : undefined,
      proficiency_levels: levels.filter((level) => book.levels.includes(level)),
      hardware_tier: Math.min(tier, Math.max(1, ...book.tiers)),
    });
  }

  /** The filters of a request: only what is set. */
  get fields() {
    const set = Object.entries(this.chosen).filter(([, value]) => value !== undefined && value !== null && value.length !== 0);
    return Object.fromEntries(set);
  }

  /** Whether something of the book is left out that could be let in. */
  get isNarrow() {
    const { hardware_tier: tier, ...others } = this.fields;
    const highest = Math.max(1, ...(this.book?.tiers ?? []));
    return tier < highest || Object.keys(others).some((name) => name !== "book_id" && !(name in this.fixed));
  }

  /** Whether the reader has set a filter; the lowest tier is where everybody begins. */
  get isChosen() {
    const { hardware_tier: tier, ...others } = this.fields;
    return (tier !== NOTHING.hardware_tier && !("hardware_tier" in this.fixed)) ||
      Object.keys(others).some((name) => name !== "book_id" && !(name in this.fixed));
  }

  /** What is asked, in a few words each: the filters, or that there are none. */
  get summary() {
    const book = this.books.length > 1 ? this.book?.title ?? this.chosen.book_id : null;
    const parts = [book, ...this.#parts, this.#tier].filter(Boolean);
    return parts.length ? parts : [say("whole_book")];
  }

  /** What alone is searched of the book, "" where it is all of it. */
  get scope() {
    return this.isNarrow ? [...this.#parts, this.#tier].filter(Boolean).join(", ") : "";
  }

  /** What a hardware tier is called: by its meaning, where the book tells it. @param {number} tier */
  tierName(tier) {
    const name = this.book?.tier_names?.[tier - 1];
    return name ? `${tier}: ${name}` : String(tier);
  }

  get #parts() {
    const { module, proficiency_levels: levels, language: code, parent_doc_id: page } = this.chosen;
    const title = this.book?.modules.find(({ name }) => name === module)?.title ?? module;
    return [page && this.pageTitle, title, chapters(this.chosen), levels.join(", "), code && languageName(code)].filter(Boolean);
  }

  /** The tier, where it leaves some of the book out. */
  get #tier() {
    const { hardware_tier: tier } = this.chosen;
    return tier < Math.max(1, ...(this.book?.tiers ?? [])) ? say("tier", { name: this.tierName(tier) }) : null;
  }
}

function chapters({ chapter_min: first, chapter_max: last }) {
  if (first === undefined && last === undefined) return null;
  if (first === last) return say("chapter", { number: first });
  if (last === undefined) return say("chapter_from", { number: first });
  return first === undefined ? say("chapter_to", { number: last }) : say("chapters_between", { first, last });
}

/** @param {string} code */
export function languageName(code) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(code);
  } catch {
    return code;
  }
}

/** @returns {Partial<Chosen>} */
function read(name) {
  try {
    const kept = JSON.parse(forGood.get(name) ?? "{}");
    return Array.isArray(kept.proficiency_levels) ? kept : {};
  } catch {
    return {};
  }
}

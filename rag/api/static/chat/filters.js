/** The filters: a button that says which are set, and a small panel above it to change them. */

import { button, element, icon, iconButton } from "../elements.js";
import { say } from "../language.js";
import { languageName } from "./choice.js";

const ANY = "";

export class Filters {
  /**
   * @param {import("./choice.js").Choice} choice
   * @param {(bookId: string) => void} chooseBook
   * @param {() => Promise<{title: string, parent_doc_id: string}|null>} [pageHere] the lesson that the reader is on
   */
  constructor(choice, chooseBook, pageHere = async () => null) {
    Object.assign(this, { choice, chooseBook, pageHere });
    this.words = element("span", { class: "filter-words", dir: "auto" });
    this.button = button({ class: "filter-button", "aria-expanded": "false", "aria-haspopup": "dialog", onclick: () => this.toggle() }, icon("filter"), this.words);
    this.panel = element("div", { class: "filter-panel", role: "dialog", "aria-label": say("filters"), hidden: true });
    this.element = element("div", { class: "filters" }, this.button, this.panel);
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    this.element.addEventListener("focusout", (event) => this.#left(event));
    choice.addEventListener("change", () => this.#changed());
    this.#changed();
  }

  toggle(isOpen = this.panel.hidden) {
    if (isOpen) this.#fill();
    this.panel.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.panel.querySelector("select, input, button")?.focus();
    else if (this.element.contains(this.element.getRootNode().activeElement)) this.button.focus();
  }

  #pressed(event) {
    if (event.key !== "Escape" || this.panel.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle(false);
  }

  #left(event) {
    if (event.relatedTarget && !this.element.contains(event.relatedTarget)) this.toggle(false);
  }

  #changed() {
    const { summary } = this.choice;
    this.words.textContent = summary.join(" · ");
    this.button.setAttribute("aria-label", say("filters_set", { summary: summary.join(", ") }));
    this.button.classList.toggle("is-set", this.choice.isChosen);
  }

  #fill() {
    const { books, book } = this.choice;
    const isFree = (name) => !(name in this.choice.fixed);
    const parts = [
      books.length > 1 && isFree("book_id") && this.#bookField(books),
      book?.modules.length > 1 && isFree("module") && this.#select(say("module"), "module", book.modules.map(({ name, title }) => [name, title ?? name])),
      book && isFree("chapter_min") && this.#chapters(),
      book?.tiers.length > 1 && isFree("hardware_tier") && this.#tiers(book.tiers),
      book?.levels.length > 1 && isFree("proficiency_levels") && this.#levels(book.levels),
      book?.languages.length > 1 && isFree("language") && this.#select(say("language"), "language", book.languages.map((code) => [code, languageName(code)])),
    ];
    const page = element("div", { hidden: true });
    this.#offerPage(page);
    this.panel.replaceChildren(
      element("div", { class: "filter-head" }, element("p", { class: "filter-title" }, say("ask_only")),
        iconButton("close", say("close_filters"), { onclick: () => this.toggle(false) })),
      page, ...parts.filter(Boolean),
      element("div", { class: "dialog-actions" }, button({ class: "quiet", onclick: () => { this.choice.clear(); this.#fill(); } }, say("reset"))));
  }

  /** A reader of a lesson may ask it alone. */
  async #offerPage(place) {
    const page = await this.pageHere().catch(() => null);
    if (!page) return;
    const onchange = (event) => this.choice.keepTo(event.target.checked ? page : null);
    const checked = this.choice.chosen.parent_doc_id === page.parent_doc_id;
    place.append(element("label", { class: "check" },
      element("input", { type: "checkbox", checked, onchange }), element("span", {}, say("this_page"), element("span", { dir: "auto" }, page.title))));
    place.hidden = false;
  }

  #bookField(books) {
    const options = books.map(({ book_id: id, title }) => element("option", { value: id, selected: id === this.choice.chosen.book_id }, title ?? id));
    return element("label", { class: "field" }, say("book"),
      element("select", { onchange: async (event) => { await this.chooseBook(event.target.value); this.#fill(); } }, ...options));
  }

  #select(label, name, values) {
    const option = ([value, words]) => element("option", { value, selected: value === (this.choice.chosen[name] ?? ANY) }, words);
    const onchange = (event) => this.choice.change({ [name]: event.target.value || undefined });
    return element("label", { class: "field" }, label, element("select", { onchange }, ...[[ANY, say("all")], ...values].map(option)));
  }

  #chapters() {
    const field = (name, label) => element("input", {
      type: "number", min: 0, max: 1000, inputmode: "numeric", placeholder: say("any"), "aria-label": label, value: this.choice.chosen[name],
      onchange: (event) => this.choice.change(inOrder(this.choice.chosen, name, event.target.valueAsNumber)),
    });
    return element("fieldset", { class: "field" }, element("legend", {}, say("chapters")),
      element("div", { class: "range" }, field("chapter_min", say("from_chapter")), element("span", { "aria-hidden": "true" }, say("to")), field("chapter_max", say("to_chapter"))));
  }

  #tiers(tiers) {
    const choose = (tier) => () => this.choice.change({ hardware_tier: tier });
    const option = (tier) => element("label", { class: "segment" },
      element("input", { type: "radio", name: "tier", value: tier, checked: tier === this.choice.chosen.hardware_tier, onchange: choose(tier) }), element("span", {}, this.choice.tierName(tier)));
    return element("fieldset", { class: "field" }, element("legend", {}, say("hardware_tier"), element("span", { class: "hint" }, say("tier_hint"))),
      element("div", { class: "segments" }, ...tiers.map(option)));
  }

  #levels(levels) {
    const onchange = () => this.choice.change({ proficiency_levels: [...this.panel.querySelectorAll("[name=level]:checked")].map(({ value }) => value) });
    const option = (level) => element("label", { class: "segment" },
      element("input", { type: "checkbox", name: "level", value: level, checked: this.choice.chosen.proficiency_levels.includes(level), onchange }), element("span", {}, level));
    return element("fieldset", { class: "field" }, element("legend", {}, say("levels"), element("span", { class: "hint" }, say("levels_hint"))),
      element("div", { class: "segments" }, ...levels.map(option)));
  }
}

/** The range with one end changed; an end that would lie beyond the other takes it along. */
function inOrder(chosen, name, number) {
  const value = Number.isNaN(number) ? undefined : number;
  const range = { chapter_min: chosen.chapter_min, chapter_max: chosen.chapter_max, [name]: value };
  const other = name === "chapter_min" ? "chapter_max" : "chapter_min";
  if (range.chapter_min > range.chapter_max) range[other] = value;
  return range;
}

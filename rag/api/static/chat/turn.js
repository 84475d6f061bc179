/** One question with its answer, from the search to the sources. */

import { button, element, icon, iconButton } from "../elements.js";
import { say } from "../language.js";
import { withMarks } from "../markdown/inline.js";
import { copyButton, showProse } from "../markdown/prose.js";
import { confidenceMark } from "./confidence.js";
import { feedbackButtons } from "./feedback.js";
import { hints } from "./hints.js";
import { peekAt } from "./peek.js";
import { shareButton } from "./share.js";
import { sourceList, withSources } from "./sources.js";
import { troubleNotice } from "./trouble.js";
import { followUps } from "./welcome.js";

/**
 * @typedef {{openSource: (sources: import("./sources.js").Source[], index: number, invoker: HTMLElement) => void,
 *   cited: (source: import("./sources.js").Source) => Promise<string>, isOnSite?: boolean, tierName?: (tier: number) => string, ask: (question: string) => void, again: () => void, anew: () => void, widen: () => void, tier?: (tier: number) => void,
 *   render: (prose: Element) => void, share?: (number: number) => {link: () => Promise<string>, revoke: () => Promise<void>}, rate: (number: number, feedback: object) => Promise<void>}} TurnActions `again` repeats a failed attempt,
 *   `anew` asks for another answer, `widen` asks again without filters
 */

export class Turn {
  /** @param {string} question @param {TurnActions} actions */
  constructor(question, actions) {
    this.question = question;
    this.actions = actions;
    this.text = "";
    this.sources = [];
    this.excerpts = [];
    this.progress = element("p", { class: "progress" });
    this.prose = element("div", { class: "prose" });
    this.notes = element("div", { class: "notes" });
    this.answer = element("div", { class: "answer" }, this.progress, this.prose, this.notes);
    this.element = element("article", { class: "turn", "aria-label": say("question_and_answer") },
      element("h2", { class: "question", dir: "auto" }, question), this.answer);
    this.prose.addEventListener("click", (event) => this.#cite(event));
    this.answer.append(peekAt(this.prose, async (cite) => {
      const source = this.sources[this.#cited(cite)];
      return source ? { title: source.page_title, text: await actions.cited(source) } : null;
    }));
  }

  /** Nothing is known yet. */
  search() {
    this.answer.setAttribute("aria-busy", "true");
    this.#state("searching");
    this.progress.textContent = say("searching");
  }

  /** @param {number} passages found so far @returns {string} what is said of it */
  found(passages) {
    const words = say("passages_found", { count: passages });
    this.progress.textContent = passages ? say("found_reading", { found: words }) : words;
    return words;
  }

  /** A piece of the answer; it is shown with the next frame. */
  write(piece) {
    this.text += piece;
    this.#state("writing");
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#show();
    });
  }

  /** Another answer stands in place of what was written so far. */
  rewrite(text) {
    this.text = "";
    this.write(text);
  }

  /**
   * The end of an answer.
   * @param {object} response a ChatResponse, or a kept message in its form
   * @param {{scope?: string, isChosen?: boolean}} [searched] what alone of the book was searched, where it was not all
   *   of it, and whether the reader had chosen so
   */
  finish(response, searched = {}) {
    this.text = response.response;
    this.sources = response.sources ?? [];
    this.excerpts = response.excerpts ?? [];
    const isAnswer = response.should_answer !== false;
    const list = this.sources.length ? sourceList(this.sources, this.#open, { areLinks: this.actions.isOnSite }) : "";
    const rating = response.message_number ? feedbackButtons((feedback) => this.actions.rate(response.message_number, feedback)) : "";
    const beside = hints(response, this.actions);
    const share = response.message_number && this.actions.share ? shareButton(this.actions.share(response.message_number)) : "";
    const next = response.follow_ups?.length ? followUps(response.follow_ups, this.actions.ask) : "";
    if (isAnswer) this.#end("answered", this.#verdict(response), list, ...beside, rating, share, next);
    else this.#end("refused", this.#refusal(searched, response.hidden), list, ...beside, rating);
  }

  /** The reader had enough; what is there stays. */
  stop() {
    const again = button({ class: "secondary", onclick: this.actions.again }, icon("again"), say("ask_again"));
    this.#end("stopped", element("p", { class: "note" }, say("stopped")), again);
  }

  /** @param {import("../wire.js").Problem} problem */
  fail(problem) {
    this.#end("failed", troubleNotice(problem, this.actions));
  }

  #end(state, ...notes) {
    cancelAnimationFrame(this.frame);
    this.#state(state);
    this.answer.removeAttribute("aria-busy");
    this.progress.textContent = "";
    this.notes.append(...notes);
    this.#show();
    this.actions.render(this.prose);
  }

  #state(state) {
    this.element.dataset.state = state;
  }

  #show() {
    showProse(this.prose, withMarks(this.text, this.excerpts));
    for (const cite of this.prose.querySelectorAll(".cite")) {
      const source = this.sources.find(({ number }) => number === Number(cite.dataset.number));
      cite.disabled = !source;
      if (source) cite.setAttribute("aria-label", say("source_titled", { number: source.number, title: source.page_title }));
    }
    this.element.dispatchEvent(new CustomEvent("grown", { bubbles: true }));
  }

  #cite(event) {
    const cite = event.target.closest(".cite");
    if (!cite) return;
    this.#open(this.#cited(cite), cite);
  }

  #cited(cite) {
    return this.sources.findIndex(({ number }) => number === Number(cite.dataset.number));
  }

  #open = (index, invoker) => this.actions.openSource(this.sources, index, invoker);

  #verdict(response) {
    const tools = element("span", { class: "answer-tools" },
      iconButton("again", say("answer_again"), { class: "small", onclick: this.actions.anew }),
      copyButton(say("copy_answer"), () => this.text),
      this.sources.length ? copyButton(say("copy_with_sources"), () => withSources(this.text, this.sources), "sources") : null);
    return element("div", { class: "verdict" }, confidenceMark(response), tools);
  }

  /** A book that does not answer is no failure: say what was looked at, and offer to look further. */
  #refusal({ scope = "", isChosen = false }, hidden) {
    return element("div", { class: "refusal" },
      element("p", {}, scope
        ? say(isChosen ? "filters_leave_out" : "equipment_leaves_out", { scope })
        : say("nothing_made_up")),
      // Where nothing is hidden, all of the book says no more on it than a part.
      scope && (isChosen || hidden) ? button({ class: "secondary", onclick: this.actions.widen }, icon("book"), say("ask_all")) : null);
  }
}

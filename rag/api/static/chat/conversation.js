/** A conversation: its turns, the box below them, and what a question sets off. The page and the widget share it. */

import { element, iconButton } from "../elements.js";
import { askForKey } from "../key.js";
import { say } from "../language.js";
import { isWebAddress } from "../markdown/inline.js";
import { renderMarks } from "../markdown/rendering.js";
import { Problem } from "../wire.js";
import { Announcer } from "./announcer.js";
import { Composer } from "./composer.js";
import { confidenceWords } from "./confidence.js";
import { followAnswer } from "./following.js";
import { shortfall } from "./hints.js";
import { PassagePanel } from "./passage.js";
import { Search } from "./search.js";
import { Turn } from "./turn.js";
import { welcome } from "./welcome.js";

export class Conversation extends EventTarget {
  /**
   * Fires `kept` after an exchange that the server keeps, `asked` and `rated` for who counts them, and
   * `wanted` where the chat is to be seen.
   * @param {{wire: import("../wire.js").Wire, choice: import("./choice.js").Choice, filters: HTMLElement,
   *   place: HTMLElement, isModal: () => boolean, isOnSite?: boolean}} parts `isOnSite`: the lessons are pages of this site
   */
  constructor({ wire, choice, filters, place, isModal, isOnSite = false }) {
    super();
    Object.assign(this, { wire, choice, place, isOnSite });
    this.threadId = null;
    this.running = null;
    this.finePrint = element("p", { class: "fine-print", dir: "auto" }, say("fine_print"));
    this.announcer = new Announcer();
    this.passage = new PassagePanel(wire, { isModal, book: () => choice.chosen.book_id });
    this.composer = new Composer({ send: (question) => this.ask(question), stop: () => this.stop(), filters });
    this.search = new Search({
      find: (query, limit, signal) => wire.search({ query, limit, ...choice.fields }, signal),
      ask: (question) => (this.running ? this.composer.restore(question) : this.ask(question)),
      open: (sources, index, event) => this.#openFound(sources, index, event),
    });
    this.log = element("div", { class: "log" });
    // For a mouse or a finger: the keyboard walks through what is below the view, which brings it there.
    const jump = iconButton("send", say("to_newest"), { class: "jump", hidden: true, tabindex: "-1" });
    this.scroller = element("div", { class: "scroller", tabindex: "-1" }, this.log);
    this.following = followAnswer(this.scroller, jump);
    place.append(
      element("div", { class: "conversation" }, this.scroller,
        element("div", { class: "dock" }, jump, this.composer.element, this.finePrint)),
      this.passage.element, this.announcer.element);
  }

  /** The owner's own words. @param {{questions?: string[], disclaimer?: string|null, sharing?: boolean}} own */
  set own(own) {
    this.owned = own;
    this.passage.drawsDiagrams = own.diagrams;
    if (own.disclaimer) this.finePrint.textContent = own.disclaimer;
  }

  /** Begins anew. */
  reset() {
    this.stop();
    if (this.passage.isOpen) this.passage.close();
    this.threadId = null;
    this.log.replaceChildren(welcome(this.choice.book, this.owned?.questions ?? [], (question) => this.ask(question)));
    this.following.toStart();
  }

  /** Shows a kept thread, to go on with. @param {object} thread a ShownConversation */
  show(thread) {
    this.reset();
    this.threadId = thread.thread_id;
    this.log.replaceChildren();
    let turn = null;
    for (const { role, content, answer, number } of thread.messages) {
      if (role === "user") turn = this.#turn(content);
      else turn?.finish({ response: content, message_number: number, ...answer });
    }
    if (turn) this.following.begin(turn);
  }

  /** Asks, and shows the answer as it comes. @param {string} question */
  async ask(question) {
    if (this.running) return;
    this.dispatchEvent(new Event("wanted"));
    this.log.querySelectorAll(".welcome, .follow-ups").forEach((each) => each.remove());
    const turn = this.#turn(question);
    this.dispatchEvent(new CustomEvent("asked", { detail: { question } }));
    const running = new AbortController();
    this.#run(running);
    turn.search();
    this.announcer.say(say("searching"));
    this.following.begin(turn);
    try {
      await this.#answer(turn, question, running.signal);
    } catch (error) {
      if (running.signal.aborted) turn.stop();
      else this.#failed(turn, error);
    } finally {
      if (this.running === running) this.#run(null);
    }
  }

  stop() {
    if (!this.running) return;
    this.running.abort();
    this.#run(null);
    this.announcer.say(say("stopped"));
  }

  /** Has the reader give a key; resolves to whether there is one now. */
  async unlock() {
    this.keyAsked ??= askForKey(this.place, this.wire.keys);
    const isGiven = await this.keyAsked;
    this.keyAsked = null;
    if (isGiven) this.dispatchEvent(new Event("unlocked"));
    return isGiven;
  }

  async #answer(turn, question, signal) {
    const asked = { message: question, ...this.choice.fields, ...(this.threadId && { session_id: this.threadId }) };
    const { scope, isChosen } = this.choice;
    const passages = new Set();
    const events = this.wire.ask(asked, signal);
    for await (const { name, data } of events) {
      if (name === "retrieval") {
        data.passages.forEach((passage) => passages.add(passage.chunk_id));
        this.announcer.say(turn.found(passages.size));
      } else if (name === "token") {
        turn.write(data.text);
      } else if (name === "replaced") {
        turn.rewrite(data.text);
      } else if (name === "done") {
        turn.finish(data, { scope, isChosen });
        this.threadId = data.session_id;
        this.announcer.say(spoken(turn, data));
        this.dispatchEvent(new CustomEvent("kept", { detail: { question } }));
      }
    }
  }

  async #failed(turn, error) {
    if (!(error instanceof Problem)) console.error(error);
    const problem = error instanceof Problem ? error : new Problem({ status: 500, detail: say("page_mistake") });
    turn.fail(problem);
    if (problem.status === 401 && (await this.unlock())) this.#again(turn);
  }

  #run(running) {
    this.running = running;
    this.composer.isBusy = Boolean(running);
  }

  #turn(question) {
    const turn = new Turn(question, {
      isOnSite: this.isOnSite,
      tierName: (tier) => this.choice.tierName(tier),
      openSource: (sources, index, invoker) => this.passage.open(sources, index, invoker),
      cited: (source) => this.passage.cited(source),
      ask: (next) => this.ask(next),
      again: () => this.#again(turn),
      anew: () => this.#widen(question, () => {}),
      widen: () => this.#widen(question, () => this.choice.widen()),
      tier: "hardware_tier" in this.choice.fixed ? undefined : (tier) => this.#widen(question, () => this.choice.change({ hardware_tier: tier })),
      render: (prose) => renderMarks(prose, this.wire.render),
      share: this.owned?.sharing ? (number) => this.#sharing(number) : undefined,
      rate: (number, feedback) => this.#rate(number, feedback),
    });
    this.log.append(turn.element);
    return turn;
  }

  /** The thread has its id only after its first answer. */
  #sharing(number) {
    return {
      link: async () => {
        const { token } = await this.wire.share(this.threadId, number);
        return new URL(`${this.wire.base}/#/shared/${this.threadId}/${number}/${token}`, location.href).href;
      },
      revoke: () => this.wire.unshare(this.threadId, number),
    };
  }

  async #rate(number, feedback) {
    await this.wire.rate(this.threadId, number, feedback);
    this.dispatchEvent(new CustomEvent("rated", { detail: { rating: feedback.rating } }));
  }

  /** An attempt that gave nothing makes room for the next. */
  #again(turn) {
    if (this.running) return;
    turn.element.remove();
    this.composer.focus();
    this.ask(turn.question);
  }

  /** On the site itself a passage is read on its page, elsewhere beside the chat. */
  #openFound(sources, index, event) {
    const { url } = sources[index];
    if (!this.isOnSite || !isWebAddress(url)) {
      this.dispatchEvent(new Event("wanted"));
      this.passage.open(sources, index, this.composer.box);
    } else if (event.ctrlKey || event.metaKey) open(url, "_blank", "noopener");
    else location.assign(url);
  }

  #widen(question, change) {
    if (this.running) return;
    change();
    this.composer.focus();
    this.ask(question);
  }
}

/** What is said of a finished answer: its text without the buttons in it, and how far to trust it. */
function spoken(turn, response) {
  const count = response.sources.length;
  const sources = count ? say("source_count", { count }) : "";
  return [turn.prose.textContent, confidenceWords(response), shortfall(response), sources].filter(Boolean).join(". ");
}

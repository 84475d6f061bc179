/** Tells screen readers what happens, politely, and in whole blocks: never each token. */

import { element } from "../elements.js";

const SHORTEST_PAUSE = 400;
const FORGOTTEN_AFTER = 20_000;

export class Announcer {
  constructor() {
    this.element = element("div", { class: "unseen", role: "status", "aria-live": "polite", "aria-relevant": "additions" });
    this.waiting = [];
  }

  /** @param {string} text said after what was said before */
  say(text) {
    if (!text.trim()) return;
    this.waiting.push(text.trim());
    this.timer ??= setTimeout(() => this.#flush(), SHORTEST_PAUSE);
  }

  #flush() {
    this.timer = undefined;
    const said = element("p", {}, this.waiting.join(" "));
    this.waiting = [];
    this.element.append(said);
    setTimeout(() => said.remove(), FORGOTTEN_AFTER);
  }
}

/** The box in which a question is written: Enter sends, Shift+Enter begins a line, Escape stops the answer. */

import { element, icon } from "../elements.js";
import { say } from "../language.js";

const LONGEST = 1000;
const NEARLY = 900;

export class Composer {
  /** @param {{send: (question: string) => void, stop: () => void, filters: HTMLElement|null}} parts */
  constructor({ send, stop, filters }) {
    this.send = send;
    this.stop = stop;
    this.box = element("textarea", {
      id: "question", rows: 1, maxlength: LONGEST, dir: "auto", placeholder: say("placeholder"), "aria-label": say("your_question"),
      enterkeyhint: "send", autocomplete: "off", oninput: () => this.#written(), onkeydown: (event) => this.#pressed(event),
    });
    this.left = element("span", { class: "left", "aria-live": "polite" });
    this.button = element("button", { class: "send" });
    this.element = element("form", { class: "composer", onsubmit: (event) => this.#submitted(event) },
      this.box,
      element("div", { class: "composer-row" }, filters, this.left, this.button));
    this.isBusy = false;
    this.#written();
  }

  /** @param {boolean} isBusy whether an answer is being written, which the button then stops */
  set isBusy(isBusy) {
    this.busy = isBusy;
    const label = say(isBusy ? "stop_key" : "send_key");
    this.button.replaceChildren(icon(isBusy ? "stop" : "send"));
    this.button.setAttribute("aria-label", say(isBusy ? "stop_answer" : "send_question"));
    this.button.title = label;
    this.button.classList.toggle("is-stop", isBusy);
    this.#written();
  }

  focus() {
    this.box.focus({ preventScroll: true });
  }

  /** Puts a question back, unless the reader has begun another. */
  restore(question) {
    this.box.value ||= question;
    this.#written();
  }

  #written() {
    const { length } = this.box.value;
    this.left.textContent = length > NEARLY ? say("characters_left", { count: LONGEST - length }) : "";
    this.button.disabled = !this.busy && !this.box.value.trim();
    this.box.style.setProperty("--lines", String(this.box.value.split("\n").length));
  }

  #pressed(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (!this.busy) this.#submitted(event);
    }
  }

  #submitted(event) {
    event.preventDefault();
    if (this.busy) {
      this.stop();
      return;
    }
    const question = this.box.value.trim();
    if (!question) return;
    this.box.value = "";
    this.#written();
    this.send(question);
  }
}

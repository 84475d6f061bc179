/** Earlier conversations: the list, opening one, deleting one. */

import { button, element, icon, iconButton } from "../elements.js";
import { confirmIn } from "./confirm.js";

const DAY = 86_400_000;

export class Threads {
  /**
   * @param {HTMLElement} place
   * @param {import("../wire.js").Wire} wire
   * @param {{open: (id: string) => void, fresh: () => void, gone: (id: string) => void}} on
   */
  constructor(place, wire, on) {
    this.place = place;
    this.wire = wire;
    this.on = on;
    this.list = element("div", { class: "thread-list" });
    this.current = null;
    this.found = [];
    place.append(
      button({ class: "secondary fresh-thread", onclick: on.fresh }, icon("plus"), "New conversation"),
      this.list);
  }

  /** Asks for the list again; what an hour of rest has archived belongs to it. */
  async refresh() {
    const [live, archived] = await Promise.all([this.wire.threads(), this.wire.archived()]);
    this.found = [...live.threads, ...archived.threads].filter(({ message_count: count }) => count > 0);
    this.#show();
  }

  /** @param {string|null} id the conversation that is open */
  mark(id) {
    this.current = id;
    this.#show();
  }

  #show() {
    const groups = Map.groupBy(this.found, ({ updated_at: time }) => dayOf(new Date(time)));
    const sections = [...groups].map(([day, threads]) =>
      element("section", {}, element("h2", { class: "thread-day" }, day), element("ul", {}, ...threads.map((thread) => this.#entry(thread)))));
    this.list.replaceChildren(...(sections.length ? sections : [element("p", { class: "note" }, "Your conversations will be listed here.")]));
  }

  #entry(thread) {
    const { thread_id: id } = thread;
    const name = nameOf(thread);
    return element("li", { class: "thread" },
      button({ class: "thread-open", dir: "auto", "aria-current": id === this.current ? "true" : null, title: name, onclick: () => this.on.open(id) }, name),
      iconButton("trash", `Delete “${name}”`, { class: "small", onclick: () => this.#delete(id, name) }));
  }

  async #delete(id, name) {
    const isSure = await confirmIn(this.place.parentElement, {
      title: "Delete this conversation?", words: `“${name}” and its answers will be gone for good.`, yes: "Delete",
    });
    if (!isSure) return;
    await this.wire.forget(id);
    this.found = this.found.filter((thread) => thread.thread_id !== id);
    this.#show();
    this.on.gone(id);
  }
}

function nameOf({ topic_summary: topic, metadata }) {
  return topic ?? metadata.question ?? "Conversation";
}

function dayOf(date) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (date >= midnight) return "Today";
  if (date >= midnight - DAY) return "Yesterday";
  return date >= midnight - 7 * DAY ? "This week" : "Earlier";
}

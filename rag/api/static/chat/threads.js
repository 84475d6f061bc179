/** Earlier conversations: the list, opening one, naming one, deleting one. */

import { button, element, icon, iconButton } from "../elements.js";
import { say } from "../language.js";
import { askTextIn, confirmIn } from "./confirm.js";

const DAY = 86_400_000;

export class Threads {
  /**
   * @param {HTMLElement} place
   * @param {{threads: () => Promise<object>, archived: (before?: string) => Promise<object>, rename: (id: string, name: string) => Promise<void>,
   *   forget: (id: string) => Promise<void>}} wire the server, or what the browser keeps
   * @param {{open: (id: string) => void, fresh: () => void, gone: (id: string) => void}} on
   */
  constructor(place, wire, on) {
    this.place = place;
    this.wire = wire;
    this.on = on;
    this.list = element("div", { class: "thread-list" });
    this.current = null;
    this.found = [];
    this.older = null;
    place.append(
      button({ class: "secondary fresh-thread", onclick: on.fresh }, icon("plus"), say("new_conversation")),
      this.list);
  }

  /** Asks for the list again; what an hour of rest has archived belongs to it. */
  async refresh() {
    const [live, archived] = await Promise.all([this.wire.threads(), this.wire.archived()]);
    this.show(live, archived);
  }

  /** Shows the threads of the last hour, and before them the archived ones. */
  show(live, archived) {
    this.found = [...live.threads, ...archived.threads];
    this.older = archived.next_before;
    this.#show();
  }

  async #more() {
    const { threads, next_before: older } = await this.wire.archived(this.older);
    this.found.push(...threads);
    this.older = older;
    this.#show();
  }

  /** @param {string|null} id the conversation that is open */
  mark(id) {
    this.current = id;
    this.#show();
  }

  #show() {
    const begun = this.found.filter(({ message_count: count }) => count > 0);
    const groups = Map.groupBy(begun, ({ updated_at: time }) => dayOf(new Date(time)));
    const sections = [...groups].map(([day, threads]) =>
      element("section", {}, element("h2", { class: "thread-day" }, day), element("ul", {}, ...threads.map((thread) => this.#entry(thread)))));
    const none = element("p", { class: "note" }, say("no_conversations"));
    const more = button({ class: "quiet", onclick: () => this.#more().catch(() => {}) }, say("older_conversations"));
    this.list.replaceChildren(...(sections.length ? sections : [none]), ...(this.older ? [more] : []));
  }

  #entry(thread) {
    const { thread_id: id } = thread;
    const name = nameOf(thread);
    return element("li", { class: "thread" },
      button({ class: "thread-open", dir: "auto", "aria-current": id === this.current ? "true" : null, title: name, onclick: () => this.on.open(id) }, name),
      iconButton("pencil", say("rename_named", { name }), { class: "small", onclick: () => this.#rename(thread, name) }),
      iconButton("trash", say("delete_named", { name }), { class: "small", onclick: () => this.#delete(id, name) }));
  }

  async #rename(thread, name) {
    const place = this.place.parentElement;
    const given = await askTextIn(place, { title: say("rename_title"), value: name, yes: say("rename") });
    if (!given) return;
    try {
      await this.wire.rename(thread.thread_id, given);
      thread.metadata = { ...thread.metadata, title: given };
      this.#show();
    } catch (problem) {
      await confirmIn(place, { title: say("not_saved"), words: problem.message, yes: null });
    }
  }

  async #delete(id, name) {
    const place = this.place.parentElement;
    const asked = { title: say("delete_title"), words: say("delete_words", { name }), yes: say("delete") };
    if (!(await confirmIn(place, asked))) return;
    try {
      await this.wire.forget(id);
    } catch (problem) {
      // One that is gone already is as good as deleted.
      if (problem.status !== 404) {
        await confirmIn(place, { title: say("not_deleted"), words: problem.message, yes: null });
        return;
      }
    }
    this.found = this.found.filter((thread) => thread.thread_id !== id);
    this.#show();
    this.on.gone(id);
  }
}

function nameOf({ topic_summary: topic, metadata }) {
  return metadata.title || topic || metadata.question || say("conversation");
}

function dayOf(date) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (date >= midnight) return say("today");
  if (date >= midnight - DAY) return say("yesterday");
  return say(date >= midnight - 7 * DAY ? "this_week" : "earlier");
}

/** The conversations that this browser has had in the widget: many readers share its key, so that the server lists none. */

import { forGood } from "../kept.js";

const MOST = 50;

export class KeptThreads {
  /** @param {import("../wire.js").Wire} wire @param {string} name under which the browser keeps them */
  constructor(wire, name) {
    this.wire = wire;
    this.name = name;
  }

  threads = async () => ({ threads: this.#read() });
  archived = async () => ({ threads: [], next_before: null });

  /** Takes note of a conversation that goes on. @param {string} id @param {string} question its first, if it is new */
  note(id, question) {
    const known = this.#read();
    const thread = known.find(({ thread_id: each }) => each === id) ?? { thread_id: id, message_count: 1, metadata: { question } };
    this.#keep([{ ...thread, updated_at: new Date().toISOString() }, ...known.filter((each) => each !== thread)]);
  }

  async rename(id, title) {
    await this.wire.rename(id, title);
    this.#keep(this.#read().map((each) => (each.thread_id === id ? { ...each, metadata: { ...each.metadata, title } } : each)));
  }

  async forget(id) {
    // Forgotten here whatever the server says of it.
    this.#keep(this.#read().filter(({ thread_id: each }) => each !== id));
    await this.wire.forget(id);
  }

  #keep(threads) {
    forGood.set(this.name, JSON.stringify(threads.slice(0, MOST)));
  }

  #read() {
    try {
      const kept = JSON.parse(forGood.get(this.name) ?? "[]");
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }
}

/** What the server is asked and what it answers: the only file that knows its paths. */

import { say } from "./language.js";
import { eventsIn } from "./sse.js";

/** A request that failed; `status` 0 is a server that was not reached. */
export class Problem extends Error {
  /** @param {{status: number, detail: string, requestId?: string, retryAfter?: number}} told */
  constructor({ status, detail, requestId, retryAfter }) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** A problem document (RFC 9457), as it comes within a stream too. */
  static from(document, status = document.status, retryAfter = undefined) {
    const detail = document.detail || document.title || say("server_answered", { status: String(status) });
    return new Problem({ status, detail, requestId: document.request_id, retryAfter });
  }
}

const unreached = () => new Problem({ status: 0, detail: say("unreached") });
const cutOff = () => new Problem({ status: 0, detail: say("cut_off") });

/** The server at one address, asked with the reader's key where there is one. */
export class Wire {
  /**
   * @param {string} base address of the server without a slash at its end; "" is the root of the page's own
   * @param {import("./key.js").KeyRing} keys
   */
  constructor(base, keys) {
    this.base = base;
    this.keys = keys;
  }

  /** What a page shows first, in one request. @param {{book_id?: string, thread_id?: string}} wanted */
  start = (wanted) => this.#json(`/start?${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value))}`);
  book = (id) => this.#json(`/books/${encodeURIComponent(id)}`);
  pages = (book, url) => this.#json(`/books/${encodeURIComponent(book)}/pages?url=${encodeURIComponent(url)}`);
  threads = () => this.#json("/threads?limit=1000");
  archived = (before) => this.#json(`/threads?limit=50&archived=true${before ? `&before=${encodeURIComponent(before)}` : ""}`);
  thread = (id) => this.#json(`/threads/${encodeURIComponent(id)}`);
  rename = (id, title) => this.#send(`/threads/${encodeURIComponent(id)}`, {
    method: "PATCH", body: JSON.stringify({ metadata: { title } }), headers: { "Content-Type": "application/json" },
  });
  forget = (id) => this.#send(`/threads/${encodeURIComponent(id)}`, { method: "DELETE" });

  lesson(parent, book) {
    const query = book ? `?book_id=${encodeURIComponent(book)}` : "";
    return this.#json(`/lessons/${encodeURIComponent(parent)}${query}`);
  }

  /** @param {string} thread @param {number} number of the answer @param {{rating: "up"|"down"|null, comment?: string}} feedback */
  rate(thread, number, feedback) {
    return this.#post(`/threads/${encodeURIComponent(thread)}/messages/${number}/feedback`, feedback);
  }

  /** Passages by their words; nothing is embedded, so that it is asked while one types. @param {object} search a SearchRequest */
  search = async (search, signal) => (await this.#post("/search", { ...search, ranking: "keyword" }, signal)).json();

  share = async (thread, number) => (await this.#send(`/threads/${encodeURIComponent(thread)}/messages/${number}/share`, { method: "POST" })).json();
  unshare = (thread, number) => this.#send(`/threads/${encodeURIComponent(thread)}/messages/${number}/share`, { method: "DELETE" });
  shared = ({ thread, number, token }) => this.#json(`/shared/${thread}/${number}?token=${encodeURIComponent(token)}`);

  /** @param {object[]} items code and formulas */
  render = async (items) => (await this.#post("/render", { items })).json();

  /** @param {{since: string, kind: string, open?: string}} wanted */
  ownerQuestions = (wanted) => this.#json(`/owner/questions?${new URLSearchParams(wanted)}`);
  ownerUsage = ({ since }) => this.#json(`/owner/usage?${new URLSearchParams({ since })}`);
  ownerTrend = ({ since }) => this.#json(`/owner/trend?${new URLSearchParams({ since })}`);
  ownerFile = async (wanted) => (await this.#send(`/owner/questions.csv?${new URLSearchParams(wanted)}`)).blob();
  ownerThread = (id) => this.#json(`/owner/threads/${encodeURIComponent(id)}`);
  /** The question and the answer of this number. */
  ownerAnswer = (id, number) => this.#json(`/owner/threads/${encodeURIComponent(id)}/messages?before=${number + 1}&limit=2`);
  markDone = (answers, done) => this.#post("/owner/questions/done", { answers, done });
  /** @param {{key_id?: string, user_id?: string}} reader */
  readerFile = async (reader) => (await this.#send(`/owner/reader?${new URLSearchParams(reader)}`)).blob();
  forgetReader = async (reader) => (await this.#send(`/owner/reader?${new URLSearchParams(reader)}`, { method: "DELETE" })).json();

  /**
   * The events of an answer, `done` the last; raises Problem, also for an `error` event and for a stream cut short.
   * @param {object} question a ChatRequest
   * @param {AbortSignal} signal
   */
  async *ask(question, signal) {
    const reply = await this.#post("/chat/stream", question, signal);
    try {
      for await (const event of eventsIn(reply.body)) {
        if (event.name === "error") throw Problem.from(event.data);
        yield event;
        if (event.name === "done") return;
      }
    } catch (error) {
      if (error instanceof Problem || signal.aborted) throw error;
      throw cutOff();
    }
    throw cutOff();
  }

  #post(path, document, signal) {
    const headers = { "Content-Type": "application/json" };
    return this.#send(path, { method: "POST", body: JSON.stringify(document), headers, signal });
  }

  async #json(path) {
    return (await this.#send(path)).json();
  }

  async #send(path, options = {}) {
    const key = this.keys.key;
    const headers = { ...options.headers, ...(key && { Authorization: `Bearer ${key}` }) };
    const asked = { ...options, headers, credentials: "omit", cache: "no-store" };
    const reply = await fetch(this.base + path, asked).catch((error) => {
      if (error.name === "AbortError") throw error;
      throw unreached();
    });
    if (reply.ok) return reply;
    const document = await reply.json().catch(() => ({}));
    throw Problem.from(document, reply.status, Number(reply.headers.get("Retry-After")) || undefined);
  }
}

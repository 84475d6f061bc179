/** The chat page: puts its parts together, and keeps the address in step with the conversation that is open. */

import { Choice } from "./chat/choice.js";
import { confirmIn } from "./chat/confirm.js";
import { Conversation } from "./chat/conversation.js";
import { Filters } from "./chat/filters.js";
import { sharedInAddress } from "./chat/share.js";
import { Threads } from "./chat/threads.js";
import { icon } from "./elements.js";
import { KeyRing } from "./key.js";
import { say, speak } from "./language.js";
import { themeToggle } from "./theme.js";
import { Wire } from "./wire.js";

const WIDE = matchMedia("(min-width: 75rem)");
/** Elsewhere a keyboard would unfold over the page: there the reader decides. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;
const find = (selector) => document.querySelector(selector);

// The server has chosen the language: from the address, its settings or the browser's wishes.
await speak(document.documentElement.lang);

/** A proxy may serve the page under a path. */
const base = new URL(".", document.baseURI).pathname.replace(/\/$/, "");
const wire = new Wire(base, new KeyRing(base));
const choice = new Choice();
const filters = new Filters(choice, chooseBook);
const conversation = new Conversation({ wire, choice, filters: filters.element, place: find("main"), isModal: () => !WIDE.matches });
const threads = new Threads(find("#threads"), wire, {
  open: async (id) => {
    await go(id);
    toTheQuestion();
  },
  fresh: beginAnew,
  gone: (id) => id === conversation.threadId && begin(),
});

async function start() {
  for (const each of document.querySelectorAll("[data-icon]")) each.append(icon(each.dataset.icon));
  themeToggle(find(".theme"));
  document.body.append(conversation.search.element);
  find(".find").title = say("search_key");
  find(".find").addEventListener("click", () => conversation.search.open());
  find(".fresh").addEventListener("click", beginAnew);
  document.addEventListener("keydown", pressed);
  conversation.addEventListener("kept", () => {
    address(conversation.threadId);
    refreshThreads();
  });
  conversation.addEventListener("unlocked", load);
  addEventListener("popstate", () => go(threadInAddress()));
  conversation.reset();
  if (HAS_KEYBOARD) conversation.composer.focus();
  const link = sharedInAddress();
  if (link) return showShared(link);
  await load();
  if (!threadInAddress()) askFromAddress();
}

/** An answer that somebody else shares: to read, without a key; a question after it begins a conversation of one's own. */
async function showShared(link) {
  try {
    const { question, answer } = await wire.shared(link);
    conversation.show({ thread_id: null, messages: [question, { ...answer, number: undefined }] });
  } catch (problem) {
    await confirmIn(document.body, { title: say("share_gone"), words: problem.message, yes: null });
    history.replaceState(null, "", location.pathname);
    await load();
  }
}

/** `?q=` in the address, as a link or a browser's search box has it, is asked once: a reload does not ask again. */
function askFromAddress() {
  const address = new URL(location.href);
  const question = address.searchParams.get("q")?.trim();
  if (!question || conversation.threadId || conversation.running) return;
  address.searchParams.delete("q");
  history.replaceState(null, "", address);
  conversation.ask(question.slice(0, 1000));
}

/** What the server tells of its books and of the reader's conversations. */
async function load() {
  const id = threadInAddress();
  try {
    const told = await wire.start({ book_id: choice.chosen.book_id, thread_id: id });
    choice.books = told.books;
    conversation.own = told;
    if (!conversation.threadId) threads.show(told.threads, told.archived);
    if (told.book) showBook(told.book);
    // Who has asked meanwhile goes on with that.
    if (!id || conversation.threadId || conversation.running) return;
    if (told.thread) conversation.show(told.thread);
    else begin();
    threads.mark(conversation.threadId);
  } catch (error) {
    if (error.status === 401) await conversation.unlock();
  }
}

async function chooseBook(id) {
  showBook(await wire.book(id));
}

function showBook(book) {
  choice.of(book);
  const title = book.title ?? book.book_id;
  document.title = title;
  find(".book-title bdi").textContent = title;
  if (!conversation.threadId && !conversation.running) conversation.reset();
}

async function refreshThreads() {
  await threads.refresh().catch(() => {});
  threads.mark(conversation.threadId);
}

function begin() {
  conversation.reset();
  address(null);
  threads.mark(null);
}

function beginAnew() {
  begin();
  toTheQuestion();
}

/** Opens a conversation; one that is gone leaves an empty page. */
async function go(id) {
  if (!id) return begin();
  try {
    conversation.show(await wire.thread(id));
    address(id);
    threads.mark(id);
  } catch (error) {
    if (error.status === 404) begin();
  }
}

function threadInAddress() {
  return /^#\/threads\/([0-9a-f-]{36})$/.exec(location.hash)?.[1] ?? null;
}

function address(id) {
  const wanted = id ? `#/threads/${id}` : location.pathname + location.search;
  if (threadInAddress() !== id) history.pushState(null, "", wanted);
}

/** The reader chose a conversation: the drawer is done with, and the next thing is to ask. */
function toTheQuestion() {
  if (find("#threads").matches(":popover-open")) find("#threads").hidePopover();
  if (HAS_KEYBOARD) conversation.composer.focus();
}

function pressed(event) {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    conversation.search.open();
  } else if (event.key === "Escape" && conversation.running) {
    event.preventDefault();
    conversation.stop();
  } else if (event.key === "Escape" && conversation.passage.isOpen && !event.defaultPrevented) {
    conversation.passage.close();
  } else if (event.key === "/" && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    conversation.composer.focus();
  }
}

function isTyping(target) {
  return target.matches("input, textarea, select, [contenteditable]");
}

await start();

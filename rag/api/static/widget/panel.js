/** The widget's panel: the chat of the page within the shadow root of another site's page. */

import { Choice } from "../chat/choice.js";
import { Conversation } from "../chat/conversation.js";
import { Filters } from "../chat/filters.js";
import { Threads } from "../chat/threads.js";
import { element, iconButton } from "../elements.js";
import { KeyRing } from "../key.js";
import { forTab } from "../kept.js";
import { direction, language, say, speak } from "../language.js";
import { Wire } from "../wire.js";
import { KeptThreads } from "./kept_threads.js";

const KEPT = "widget.thread";
const OPEN = "widget.open";

/**
 * @param {{root: ShadowRoot, launch: HTMLElement, server: string, label: string, spoken: string, logo: string|false, options: DOMStringMap}} parts
 *   `spoken` is the language of the words, `options` are the script's data attributes: book, key, and the filters module, tier, level, language.
 */
export async function makePanel({ root, launch, server, label, spoken, logo, options }) {
  await Promise.all([addStyle(root, new URL("widget.bundle.css", import.meta.url).href), speak(spoken)]);
  const wire = new Wire(server, new KeyRing(server, options.key ?? null));
  const choice = new Choice(fixedBy(options), `filters.${server}`);
  const filters = new Filters(choice, async (id) => choice.of(await wire.book(id)), () => pageHere(wire, choice));
  const place = element("div", { class: "widget-chat" });
  const conversation = new Conversation({ wire, choice, filters: filters.element, place, isModal: () => false, isOnSite: true });
  const kept = new KeptThreads(wire, `widget.threads.${server}`);
  const list = element("nav", { class: "threads", hidden: true, "aria-label": say("conversations") });
  const menu = iconButton("menu", say("conversations"), { "aria-expanded": "false", onclick: () => showList(list.hidden) });
  const threads = new Threads(list, kept, { open: openThread, fresh: beginAnew, gone: (id) => id === conversation.threadId && begin(conversation) });
  place.append(list);
  const panel = element("section", { class: "panel", role: "dialog", "aria-label": label, lang: language, dir: direction, hidden: true },
    element("header", { class: "panel-head" }, menu,
      logo ? element("img", { class: "logo", src: logo, alt: "" }) : null,
      element("h2", { class: "panel-title" }, element("bdi", {}, label)),
      iconButton("search", say("search_book"), { onclick: () => conversation.search.open() }),
      iconButton("plus", say("new_conversation"), { onclick: beginAnew }),
      iconButton("close", say("close_chat"), { onclick: close })),
    place);
  panel.addEventListener("keydown", (event) => event.key === "Escape" && escape(event));
  const { element: box } = conversation.search;
  Object.assign(box, { lang: language, dir: direction });
  root.append(panel, box);
  [panel, box].forEach(fitText);
  // The site's own shortcuts are none of ours.
  box.addEventListener("keydown", (event) => event.stopPropagation());

  /** @param {{focus: boolean, question?: string}} how whether the reader asked for it, and what the site asks for them */
  function open({ focus, question }) {
    if (panel.hidden) tell("opened");
    panel.hidden = false;
    launch.hidden = true;
    forTab.set(OPEN, "yes");
    if (focus) conversation.composer.focus();
    if (question) begun.then(() => conversation.ask(question));
  }

  function close() {
    panel.hidden = true;
    launch.hidden = false;
    forTab.set(OPEN, null);
    launch.focus();
  }

  /** Leaves what is innermost: the answer being written, the passage, the panel. */
  function escape(event) {
    // The site's own shortcuts are none of ours.
    event.stopPropagation();
    if (event.defaultPrevented || event.target.closest(".modal")) return;
    if (!list.hidden) showList(false);
    else if (conversation.running) conversation.stop();
    else if (conversation.passage.isOpen) conversation.passage.close();
    else close();
  }

  /** The list lies over the chat. */
  function showList(isShown) {
    list.hidden = !isShown;
    menu.setAttribute("aria-expanded", String(isShown));
    if (!isShown) return menu.focus();
    threads.current = conversation.threadId;
    threads.refresh();
    list.querySelector("button").focus();
  }

  async function openThread(id) {
    const thread = await wire.thread(id).catch(() => null);
    if (!thread) return kept.forget(id).catch(() => {}).then(() => threads.refresh());
    conversation.show(thread);
    forTab.set(KEPT, id);
    showList(false);
    conversation.composer.focus();
  }

  function beginAnew() {
    list.hidden = true;
    menu.setAttribute("aria-expanded", "false");
    begin(conversation);
  }

  conversation.reset();
  conversation.addEventListener("kept", ({ detail }) => {
    forTab.set(KEPT, conversation.threadId);
    kept.note(conversation.threadId, detail.question);
  });
  for (const name of ["asked", "rated"]) conversation.addEventListener(name, ({ detail }) => tell(name, detail));
  conversation.addEventListener("wanted", () => panel.hidden && open({ focus: true }));
  conversation.addEventListener("unlocked", () => load(wire, choice, conversation));
  const begun = load(wire, choice, conversation);
  return { open, close, search: (text) => conversation.search.open(text) };
}

/** An event on the site's document, for its own analytics: `bookwise:opened`, `bookwise:asked`, `bookwise:rated`. */
function tell(name, detail = {}) {
  document.dispatchEvent(new CustomEvent(`bookwise:${name}`, { detail }));
}

/** The book, and the conversation that an earlier page of this visit has begun. */
async function load(wire, choice, conversation) {
  try {
    const told = await wire.start({ book_id: choice.chosen.book_id, thread_id: forTab.get(KEPT) });
    choice.books = choice.fixed.book_id ? [] : told.books;
    conversation.own = told;
    if (told.book) choice.of(told.book);
    if (conversation.running) return;
    if (told.thread) conversation.show(told.thread);
    else conversation.reset();
  } catch (error) {
    if (error.status === 401) await conversation.unlock();
  }
}

function begin(conversation) {
  forTab.set(KEPT, null);
  conversation.reset();
  conversation.composer.focus();
}

/** Sizes are in rem, which a site may have set to anything; the reader's own size of text is what counts. */
function fitText(panel) {
  const [reader, site] = [panel, document.documentElement].map((each) => parseFloat(getComputedStyle(each).fontSize));
  if (reader !== site) panel.style.zoom = String(reader / site);
}

/** The lesson that the reader has before them, null on other pages of the site. */
async function pageHere(wire, choice) {
  const { pages } = await wire.pages(choice.chosen.book_id, location.origin + location.pathname);
  return pages[0] ?? null;
}

/** What the site has set for its readers. @param {DOMStringMap} options */
function fixedBy({ book, module, tier, level, language }) {
  const fixed = {
    book_id: book, module, language,
    hardware_tier: tier && Number(tier),
    proficiency_levels: level && level.split(/[\s,]+/),
  };
  return Object.fromEntries(Object.entries(fixed).filter(([, value]) => value));
}

function addStyle(root, href) {
  const { promise, resolve, reject } = Promise.withResolvers();
  root.append(element("link", { rel: "stylesheet", href, crossorigin: "anonymous", onload: resolve, onerror: () => reject(new Error(href)) }));
  return promise;
}

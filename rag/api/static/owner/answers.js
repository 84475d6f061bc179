/** What a reader was answered: one answer with its sources and its comment, or the whole conversation. */

import { button, element } from "../elements.js";
import { language, say } from "../language.js";
import { isWebAddress } from "../markdown/inline.js";
import { showProse } from "../markdown/prose.js";

const LEVELS = { high: "confidence_high", medium: "confidence_medium", low: "confidence_low", insufficient: "owner_unanswered" };
const RATINGS = { up: "good_answer", down: "bad_answer" };

/**
 * The questions of a group, each of which opens its answer.
 * @param {object[]} answers as the report has them
 * @param {(answer: object) => void} open
 */
export function answerList(answers, open) {
  return element("ul", { class: "owner-answers" }, ...answers.map((answer) => element("li", {},
    button({ class: "quiet", dir: "auto", onclick: () => open(answer) }, answer.question),
    element("span", { class: "note" }, ` ${moment(answer.asked_at)}${answer.rating ? ` · ${say(RATINGS[answer.rating])}` : ""}`),
    answer.comment && element("q", { dir: "auto" }, answer.comment))));
}

/**
 * Opens the answer to a question in a dialog.
 * @param {Node} place where the dialog is put
 * @param {import("../wire.js").Wire} wire
 * @param {object} asked as the report has it
 */
export async function openAnswer(place, wire, asked) {
  const body = element("div", { class: "owner-messages" }, element("p", { class: "note" }, say("owner_loading")));
  const whole = asked.number > 0 && button({ class: "secondary", onclick: () => load(wire.ownerThread(asked.thread_id)) }, say("owner_whole"));
  const facts = [moment(asked.asked_at), say(LEVELS[asked.confidence_level]), asked.rating && say(RATINGS[asked.rating])];
  const dialog = element("dialog", { class: "modal owner-answer", "aria-labelledby": "answer-title" },
    element("form", { method: "dialog", class: "dialog-form" },
      element("h2", { id: "answer-title", dir: "auto" }, asked.question),
      element("p", { class: "note" }, facts.filter(Boolean).join(" · ")),
      asked.comment && element("blockquote", { dir: "auto" }, asked.comment),
      body,
      element("div", { class: "dialog-actions" }, whole || null, element("button", { class: "primary" }, say("close")))));
  dialog.addEventListener("close", () => dialog.remove());
  place.append(dialog);
  dialog.showModal();

  async function load(asking) {
    try {
      body.replaceChildren(...(await asking).messages.map(message));
    } catch (problem) {
      body.replaceChildren(element("p", { role: "alert" }, problem.message));
    }
  }
  if (asked.number > 0) await load(wire.ownerAnswer(asked.thread_id, asked.number).then(({ messages }) => ({ messages: messages.slice(1) })));
  else body.replaceChildren(element("p", { class: "note" }, say("owner_not_kept")));
}

function message({ role, content, answer }) {
  if (role === "user") return element("p", { class: "owner-question", dir: "auto" }, content);
  const prose = element("div", { class: "prose" });
  showProse(prose, content);
  return element("div", {}, prose, answer?.sources.length ? sourceList(answer.sources) : null);
}

function sourceList(sources) {
  return element("section", {}, element("h3", {}, say("sources")), element("ul", {}, ...sources.map((source) => {
    const name = [source.page_title, source.section].filter((part, at, all) => part && all.indexOf(part) === at).join(" › ");
    const shown = `${source.number ? `[${source.number}] ` : ""}${name}`;
    const isLink = isWebAddress(source.url);
    return element("li", {}, element(isLink ? "a" : "span", { href: isLink ? source.url : null, dir: "auto", title: source.source_file }, shown));
  })));
}

function moment(text) {
  return new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

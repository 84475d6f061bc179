/** What belongs to an answer or a refusal beside its sources: a model that failed, mended typos, hidden passages, other sections. */

import { button, element, icon } from "../elements.js";
import { say } from "../language.js";

/**
 * @param {object} response a ChatResponse, or a kept message, which has little of this
 * @param {{tier?: (tier: number) => void}} actions `tier` asks again for a higher hardware tier, where one can be chosen
 * @returns {HTMLElement[]}
 */
export function hints(response, actions) {
  const { searched_for: mended, hidden, see_also: places = [], should_answer: isAnswer } = response;
  const lacks = shortfall(response);
  return [
    lacks ? element("p", { class: "note" }, lacks) : null,
    mended ? element("p", { class: "note" }, say("searched_for"), element("q", { dir: "auto" }, mended)) : null,
    hidden ? hiddenNote(hidden, actions) : null,
    places.length ? placeList(places, say(isAnswer === false ? "nearest_sections" : "see_also")) : null,
  ].filter(Boolean);
}

/** What the language model failed to do, with what the owner finds it by in the log; "" where it did all. */
export function shortfall({ error, model, request_id: id, should_answer: isAnswer }) {
  if (!error || isAnswer === false) return "";
  const words = say(model === "extractive" ? "model_failed" : "answer_incomplete");
  return id ? `${words} (${say("request", { id })})` : words;
}

function hiddenNote({ count, filter, value }, { tier, tierName }) {
  const name = filter === "hardware_tier" ? tierName?.(Number(value)) ?? value : value;
  const words = say("hidden_by_tier", { count, name });
  const again = button({ class: "secondary", onclick: () => tier(Number(value)) }, icon("book"), say("ask_for_tier", { tier: String(value) }));
  return element("div", { class: "hidden-note" }, element("p", {}, words), tier && filter === "hardware_tier" ? again : null);
}

function placeList(places, title) {
  const entry = ({ page_title: page, section_title: section, page_url: url, source_file: file, line_start: line }) => {
    const name = section && section !== page ? `${page} › ${section}` : page;
    const isLink = /^(https?:\/\/|\/)/.test(url ?? "");
    return element("li", {}, isLink ? element("a", { href: url, dir: "auto" }, name) : element("bdi", {}, `${name} (${file}:${line})`));
  };
  return element("section", { class: "places" }, element("h3", {}, title), element("ul", {}, ...places.map(entry)));
}

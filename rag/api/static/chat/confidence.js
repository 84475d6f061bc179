/** How far an answer can be trusted, in plain words. */

import { element } from "../elements.js";

const LEVELS = {
  high: { bars: 3, words: "Well supported by the book" },
  medium: { bars: 2, words: "Supported by the book" },
  low: { bars: 1, words: "Weakly supported: check the sources" },
};

/**
 * @param {{confidence_level: string, should_answer: boolean}} response
 * @returns {string} "" for a refusal, which says so itself
 */
export function confidenceWords({ confidence_level: level, should_answer: isAnswer }) {
  return isAnswer ? (LEVELS[level]?.words ?? "") : "";
}

/** The words, with as many of three bars. */
export function confidenceMark(response) {
  const words = confidenceWords(response);
  if (!words) return null;
  const { bars } = LEVELS[response.confidence_level];
  const bar = (_, index) => element("span", { class: index < bars ? "bar on" : "bar" });
  return element("p", { class: "confidence" },
    element("span", { class: "bars", "aria-hidden": "true" }, ...Array.from({ length: 3 }, bar)), words);
}

/** What a reader should know of how the answer came about, null where there is nothing. */
export function caveat({ should_answer: isAnswer, supported, model }) {
  if (!isAnswer) return null;
  if (model === "extractive") return "Quoted from the book word for word; no language model was used.";
  if (supported === false) return "Some of this could not be confirmed by its sources.";
  return null;
}

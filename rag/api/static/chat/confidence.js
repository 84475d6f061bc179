/** How far an answer can be trusted, in plain words. */

import { element } from "../elements.js";
import { say } from "../language.js";

const LEVELS = {
  high: { bars: 3, words: "confidence_high" },
  medium: { bars: 2, words: "confidence_medium" },
  low: { bars: 1, words: "confidence_low" },
};
const QUOTED = { bars: 3, words: "confidence_quoted" };
const UNCONFIRMED = { bars: 1, words: "confidence_unconfirmed" };

/** @param {{confidence_level?: string, supported?: boolean, model?: string}} answer */
function levelOf({ confidence_level: level, supported, model }) {
  if (model === "extractive") return { ...QUOTED, bars: LEVELS[level]?.bars ?? 1 };
  return supported === false ? UNCONFIRMED : LEVELS[level];
}

/** The words for an answer, with as many of three bars; of an old answer nothing may be known. */
export function confidenceMark(answer) {
  const { bars = 0, words = "" } = levelOf(answer) ?? {};
  const bar = (_, index) => element("span", { class: index < bars ? "bar on" : "bar" });
  return element("p", { class: "confidence" },
    words ? element("span", { class: "bars", "aria-hidden": "true" }, ...Array.from({ length: 3 }, bar)) : null, words && say(words));
}

/** The words alone, for those who listen; "" for a refusal, which says so itself. */
export function confidenceWords(answer) {
  const { words } = levelOf(answer) ?? {};
  return answer.should_answer && words ? say(words) : "";
}

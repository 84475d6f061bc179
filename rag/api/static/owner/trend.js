/** Figures of the owner's page: sums, and questions by day as bars. */

import { element } from "../elements.js";
import { language, say } from "../language.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 100;
const DAY = 86_400_000;

/** A number as the language writes it; nothing for none. */
export function number(count) {
  return count ? count.toLocaleString(language) : "";
}

function dollars(cost) {
  return cost === null ? "" : cost.toLocaleString(language, { style: "currency", currency: "USD", minimumFractionDigits: 4 });
}

/** What the sums and the tables name, and how each is found. @type {[string, (figures: object) => string][]} */
export const FIGURES = [
  ["owner_questions", ({ questions }) => number(questions)],
  ["owner_answered", ({ answered }) => number(answered)],
  ["owner_unanswered", ({ questions, answered }) => number(questions - answered)],
  ["owner_weak", ({ weak }) => number(weak)],
  ["owner_liked", ({ liked }) => number(liked)],
  ["owner_disliked", ({ disliked }) => number(disliked)],
  ["owner_tokens", ({ tokens }) => number(tokens)],
  ["owner_cost", ({ cost }) => dollars(cost)],
];

export function totals(figures) {
  return FIGURES.map(([name, value]) => element("div", {}, element("dt", {}, say(name)), element("dd", {}, value(figures) || "–")));
}

/**
 * A bar per day until today: what was answered, and above it what was not.
 * @param {object[]} days @param {string} since such as 24h, 7d or 4w
 */
export function trend(days, since) {
  const known = new Map(days.map((day) => [day.day, day]));
  const span = Math.ceil(parseInt(since, 10) * { h: 1 / 24, d: 1, w: 7 }[since.at(-1)]);
  const every = Array.from({ length: span + 1 }, (_, at) => new Date(Date.now() - (span - at) * DAY).toISOString().slice(0, 10));
  const most = Math.max(...days.map(({ questions }) => questions));
  const bars = every.flatMap((day, at) => (known.has(day) ? barsOf(known.get(day), at, HEIGHT / most) : []));
  return shape("svg", { class: "trend", viewBox: `0 0 ${every.length} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
}

function barsOf({ day, questions, answered }, at, scale) {
  const bar = (kind, from, count) => shape("rect", { class: kind, x: at + 0.1, width: 0.8, y: HEIGHT - (from + count) * scale, height: count * scale },
    shape("title", {}, `${day}: ${number(questions)}`));
  return [bar("is-answered", 0, answered), bar("is-unanswered", answered, questions - answered)];
}

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

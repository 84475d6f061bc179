/** The words of the page in the reader's language, from `words/`: loaded once, before anything is shown. */

const RIGHT_TO_LEFT = new Set(["ur", "ar"]);
const READ_FROM_THE_RIGHT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Around an inserted text that may run the other way, so that it does not turn the sentence about. */
const [ISOLATED, ENDED] = ["\u2068", "\u2069"];

/** @type {Record<string, string|Record<string, string>>} */
let words = {};
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** The language of the words, and which way it runs. */
export let language = "en";
export let direction = "ltr";

/** Loads the words. @param {string} wanted its file */
export async function speak(wanted) {
  const reply = await fetch(new URL(`words/${wanted}.json`, import.meta.url));
  if (!reply.ok) throw new Error(`${reply.url}: ${reply.status}`);
  words = await reply.json();
  language = wanted;
  direction = RIGHT_TO_LEFT.has(wanted) ? "rtl" : "ltr";
  plurals = new Intl.PluralRules(wanted);
  numbers = new Intl.NumberFormat(wanted);
}

/**
 * A sentence with its values; `count` chooses among the forms of its number.
 * @param {string} key
 * @param {Record<string, string|number>} [values] numbers are written as the language does
 */
export function say(key, values = {}) {
  const found = words[key];
  const form = typeof found === "object" ? (found[plurals.select(values.count)] ?? found.other) : found;
  return (form ?? key).replace(/\{(\w+)\}/g, (mark, name) => (name in values ? inserted(values[name]) : mark));
}

/** The sentence as it is sent to the server: without marks of direction. */
export function sayPlainly(key, values) {
  return say(key, values).replaceAll(ISOLATED, "").replaceAll(ENDED, "");
}

function inserted(value) {
  if (typeof value === "number") return numbers.format(value);
  return direction === "rtl" || READ_FROM_THE_RIGHT.test(value) ? ISOLATED + value + ENDED : String(value);
}

/** Which way a text runs, by most of its letters: a sentence in Urdu may begin with a name of code. */

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const LETTER = /\p{L}/gu;
const CODE_OR_ADDRESS = /(`+)[^]*?\1|\]\([^)]*\)|https?:\/\/\S+/g;

/** From this share of its letters on a text is read from the right. */
const ENOUGH = 0.4;

/** @param {string} text markdown @returns {"ltr"|"rtl"|"auto"} */
export function directionOf(text) {
  const bare = text.replace(CODE_OR_ADDRESS, "");
  const letters = bare.match(LETTER)?.length ?? 0;
  if (!letters) return "auto";
  return (bare.match(RIGHT_TO_LEFT)?.length ?? 0) >= ENOUGH * letters ? "rtl" : "ltr";
}

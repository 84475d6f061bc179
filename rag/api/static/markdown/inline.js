/** Makes nodes of the marks within a line: code, emphasis, links, references to sources. Text stays text. */

import { element } from "../elements.js";
import { say } from "../language.js";

/** Behind `\(` may be a formula, or a text whose brackets are escaped. */
const LOOKS_LIKE_TEX = /[\\^_=+<>{}]|^\s*\p{L}\s*$/u;

/**
 * The text with marks around what answers, which `inlineNodes` shows as `<mark>`; no text has these two code points.
 * @param {string} text
 * @param {{marked_start?: number, marked_end?: number}[]} excerpts with offsets in code points
 */
export function withMarks(text, excerpts) {
  if (!excerpts.length) return text;
  const points = [...text];
  for (const { marked_start: start, marked_end: end } of [...excerpts].reverse()) {
    if (start == null || end == null) continue;
    points.splice(end, 0, "\ufdd1");
    points.splice(start, 0, "\ufdd0");
  }
  return points.join("");
}

const LONGEST = 600;
const DEEPEST = 8;

/**
 * The rules, tried in this order where a mark may begin; each makes a node of what it matched, or null to let it be.
 * @type {[RegExp, (match: RegExpExecArray, nested: (text: string) => Node[]) => Node|string|null][]}
 */
const RULES = [
  [/\ufdd0([^\ufdd0\ufdd1]*)\ufdd1/y, ([, text], nested) => element("mark", {}, ...nested(text))],
  [/\\\((.{1,300}?)\\\)/sy, ([source, tex]) => (LOOKS_LIKE_TEX.test(tex) ? formulaMark(source, tex) : null)],
  [/\$\$((?:\\.|[^$\\]){1,600}?)\$\$/sy, ([source, tex]) => formulaMark(source, tex, true)],
  [/\$(?=\S)((?:\\.|[^$\\\n]){1,300}?)(?<=\S)\$(?![\p{L}\p{N}$])/uy, ([source, tex]) => formulaMark(source, tex)],
  [/\\([!-/:-@[-`{-~])/y, ([, mark]) => mark],
  [/ {2,}\n|\\\n/y, () => element("br")],
  [/(`+)(?!`)((?:.|\n)+?)(?<!`)\1(?!`)/y, ([, , text]) => element("code", {}, text.replace(/^ (.*[^ ].*) $/, "$1"))],
  [/\(not confirmed\)/y, () => verdict("mark_not_confirmed")],
  [/\(the book says otherwise\)/y, () => verdict("mark_contradicted")],
  [/\(not checked: the book is in (\p{L}{2,20})\)/uy, ([, language]) => verdict("mark_not_checked", { language })],
  [/!\[([^\]\n]*)\]\(\s*<?([^\s)>]*)[^)\n]*\)/y, ([, text, source]) => element("span", { class: "picture", "data-source": source }, text || say("picture"))],
  [/<img\s([^<>\n]{1,500})>/iy, ([, attributes]) => htmlPicture(attributes)],
  [/\[\^([^\]\s]{1,40})\]/y, ([, label]) => element("sup", { class: "footnote-mark" }, label)],
  [/\[(\d{1,3})\](?!\()([.,;:!?)]*)/y, ([, number, after]) => reference(number, after)],
  [/\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y,
    ([, text, address], nested) => link(address, nested(text))],
  [/\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\([^()\n]*\)/y, ([, text], nested) => element("span", {}, ...nested(text))],
  [/<(https?:\/\/[^\s<>]+)>/y, ([, address]) => link(address, [address])],
  [/https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]*_~]/y, ([address]) => link(address, [address])],
  [emphasis("\\*\\*\\*"), ([, text], nested) => element("strong", {}, element("em", {}, ...nested(text)))],
  [emphasis("\\*\\*"), ([, text], nested) => element("strong", {}, ...nested(text))],
  [emphasis("\\*"), ([, text], nested) => element("em", {}, ...nested(text))],
  [emphasis("__", true), ([, text], nested) => element("strong", {}, ...nested(text))],
  [emphasis("_", true), ([, text], nested) => element("em", {}, ...nested(text))],
  [emphasis("~~"), ([, text], nested) => element("s", {}, ...nested(text))],
];

/** Where a mark may begin; all between two such places is text. */
const MARK = /[\ufdd0\\`![<*_~h$]|\((?=no|the)| {2,}\n/g;

/** Marks around a text of bounded length; underscores within a word are part of it, as in `snake_case`. */
function emphasis(mark, wholeWords = false) {
  const [before, after] = wholeWords ? ["(?<![\\p{L}\\p{N}_])", "(?![\\p{L}\\p{N}_])"] : ["", `(?!${mark.slice(0, 2)})`];
  return new RegExp(`${before}${mark}(?=\\S)([^]{1,${LONGEST}}?)(?<=\\S)${mark}${after}`, "uy");
}

/**
 * @param {string} text
 * @param {number} [depth]
 * @returns {Node[]}
 */
export function inlineNodes(text, depth = 0) {
  const nodes = [];
  let from = 0;
  let at = nextMark(text, 0);
  while (at < text.length) {
    const [node, end] = depth < DEEPEST ? match(text, at, depth) : [null, at];
    if (node === null) {
      at = nextMark(text, at + 1);
      continue;
    }
    nodes.push(text.slice(from, at), node);
    from = end;
    at = nextMark(text, end);
  }
  nodes.push(text.slice(from));
  return nodes.filter((node) => node !== "").map((node) => (typeof node === "string" ? new Text(node) : node));
}

function nextMark(text, from) {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

function match(text, at, depth) {
  for (const [pattern, make] of RULES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    const node = found && make(found, (inner) => inlineNodes(inner, depth + 1));
    // Not `lastIndex`: making the node may have used the same pattern within.
    if (node) return [node, at + found[0].length];
  }
  return [null, at];
}

/**
 * A formula as it is written, until `renderMarks` sets it.
 * @param {string} source with its marks
 * @param {string} tex
 * @param {boolean} [isDisplay]
 */
export function formulaMark(source, tex, isDisplay = false) {
  return element("span", { class: isDisplay ? "formula is-display" : "formula", dir: "ltr", "data-tex": tex.trim() }, source);
}

/** A reference to a source: a button, which stays off until the source is known; what follows it stays on its line. */
function reference(number, after) {
  const bracket = (sign) => element("span", { class: "copied" }, sign);
  const cite = element("button", { type: "button", class: "cite", "data-number": number, disabled: true, "aria-label": say("source_number", { number: Number(number) }) },
    bracket("["), number, bracket("]"));
  return element("span", { class: "cited" }, cite, after);
}

/** What the check says of the sentence before it, in the reader's words. */
function verdict(key, values) {
  return element("small", { class: `verdict ${key.replaceAll("_", "-")}` }, `(${say(key, values)})`);
}

/** A picture as HTML writes it, as its words; a passage then looks for the picture itself. */
function htmlPicture(attributes) {
  const [source, words] = ["src", "alt"].map((name) => new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)')`, "i").exec(attributes));
  return source && element("span", { class: "picture", "data-source": source[1] ?? source[2] }, words?.[1] || words?.[2] || say("picture"));
}

/** A link, for http and https alone; whatever else stands there stays text. */
function link(address, nodes) {
  if (!isWebAddress(address)) return element("span", {}, ...nodes);
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...nodes);
}

/** @param {string} address */
export function isWebAddress(address) {
  try {
    return ["http:", "https:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

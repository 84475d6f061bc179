/** Shows markdown as elements, and keeps those whose text did not change, so that a selection survives a stream. */

import { button, element, icon } from "../elements.js";
import { say } from "../language.js";
import { blocksOf } from "./blocks.js";
import { directionOf } from "./direction.js";
import { formulaMark, inlineNodes } from "./inline.js";

/** Headings of an answer stand below the question, or below the passage's title, which are h2. */
const ABOVE = 2;
const TASK = /^\[([ xX])\] +(?=\S)/;

/** @type {WeakMap<Element, {source: string, block: import("./blocks.js").Block, element: Element}[]>} */
const shown = new WeakMap();

/**
 * Makes `place` show this text; returns the elements that are new.
 * @param {Element} place
 * @param {string} text
 * @returns {Element[]}
 */
export function showProse(place, text) {
  const before = shown.get(place) ?? [];
  const blocks = levelled(blocksOf(text));
  let same = 0;
  while (same < blocks.length && before[same]?.source === blocks[same].source) same += 1;
  before.slice(same).forEach((each) => each.element.remove());
  const added = blocks.slice(same).map((block) => ({ source: block.source, block, element: blockElement(block) }));
  place.append(...added.map((each) => each.element));
  // What stays may stand in other lines now.
  shown.set(place, [...before.slice(0, same).map((each, at) => ({ ...each, block: blocks[at] })), ...added]);
  return added.map((each) => each.element);
}

/** The blocks with headings that go down by one level at a time, whatever the text does. */
function levelled(blocks) {
  let last = ABOVE;
  return blocks.map((block) => {
    if (block.kind !== "heading") return block;
    last = Math.min(ABOVE + block.level, last + 1, 6);
    return { ...block, level: last };
  });
}

/** @param {import("./blocks.js").Block} block */
function blockElement(block) {
  return MAKERS[block.kind](block);
}

/**
 * Marks what was made from these lines of the text that `place` shows: of lists and tables the items and rows.
 * @param {Element} place
 * @param {number} from the first line, counted from 0
 * @param {number} to the line after the last
 * @returns {Element[]} what is marked
 */
export function markLines(place, from, to) {
  const overlaps = ([start, end]) => start < to && end > from;
  const marked = (shown.get(place) ?? []).filter(({ block }) => overlaps([block.from, block.to])).flatMap(({ block, element: made }) => {
    const parts = partsOf(block, made).filter(({ range }) => overlaps(range)).map(({ part }) => part);
    return parts.length ? parts : [made];
  });
  marked.forEach((each) => each.classList.add("is-cited"));
  return marked;
}

/** The items of a list and the rows of a table with their lines. */
function partsOf(block, made) {
  if (block.kind === "list") return block.lines.map((range, at) => ({ range, part: made.children[at] }));
  if (block.kind !== "table") return [];
  return [...made.querySelectorAll("tbody tr")].map((part, at) => ({ range: [block.from + 2 + at, block.from + 3 + at], part }));
}

const MAKERS = {
  paragraph: ({ text }) => element("p", { dir: directionOf(text) }, ...inlineNodes(text)),
  heading: ({ level, text }) => element(`h${level}`, { dir: directionOf(text) }, ...inlineNodes(text)),
  rule: () => element("hr"),
  math: ({ text, source }) => element("p", {}, formulaMark(source, text, true)),
  quote: ({ blocks }) => element("blockquote", { dir: directionOf(blockSource(blocks)) }, ...levelled(blocks).map(blockElement)),
  footnote: ({ label, blocks }) => element("div", { class: "footnote", role: "note", dir: directionOf(blockSource(blocks)) },
    element("span", { class: "footnote-label" }, label), element("div", {}, ...levelled(blocks).map(blockElement))),
  notice: ({ label, blocks }) => element("div", { class: "notice", role: "note" },
    element("p", { class: "notice-label", dir: "auto" }, label), ...levelled(blocks).map(blockElement)),
  list: ({ ordered, start, items }) =>
    element(ordered ? "ol" : "ul", { dir: directionOf(items.map(blockSource).join("\n")), start: ordered && start !== 1 ? start : null }, ...items.map(item)),
  code: codeBlock,
  table: tableElement,
};

/** A list within an item runs as the list around it; its own words may be too few to tell. */
function itemBlock(block) {
  const made = blockElement(block);
  if (block.kind === "list") made.removeAttribute("dir");
  return made;
}

/** An item of one paragraph shows its text without the paragraph's spacing; its number stands on the list's side. */
function item(blocks) {
  const [first, ...others] = levelled(blocks);
  if (first?.kind !== "paragraph") return element("li", {}, ...blocks.map(itemBlock));
  const [mark, box] = TASK.exec(first.text) ?? ["", null];
  const nodes = [...inlineNodes(first.text.slice(mark.length)), ...others.map(itemBlock)];
  if (box === null) return element("li", {}, ...nodes);
  const isDone = box !== " ";
  const check = element("input", { type: "checkbox", disabled: true, checked: isDone, "aria-label": say(isDone ? "done" : "to_do") });
  return element("li", { class: "task" }, check, " ", ...nodes);
}

function blockSource(blocks) {
  return blocks.map(({ source }) => source).join("\n");
}

function codeBlock({ language, text }) {
  const copy = copyButton(say("copy_code"), () => text);
  return element("figure", { class: "code", dir: "ltr" },
    element("figcaption", {}, element("span", {}, language || "text"), copy),
    element("pre", { tabindex: "0", "aria-label": language ? say("code_in", { language }) : say("code"), role: "group" }, element("code", { "data-language": language || null }, text)));
}

function tableElement({ aligns, head, rows }) {
  const cell = (tag) => (text, column) => element(tag, { class: `align-${aligns[column]}`, scope: tag === "th" ? "col" : null }, ...inlineNodes(text));
  return element("div", { class: "table", tabindex: "0", role: "group", "aria-label": say("table") },
    element("table", { dir: directionOf([head, ...rows].flat().join(" ")) },
      element("thead", {}, element("tr", {}, ...head.map(cell("th")))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell("td")))))));
}

/**
 * A button that puts a text into the clipboard and says so.
 * @param {string} label
 * @param {() => string} text
 * @param {string} [name] of its icon
 */
export function copyButton(label, text, name = "copy") {
  const made = button({ class: "icon-button small", "aria-label": label, title: label, onclick: copy }, icon(name));
  async function copy() {
    const done = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
    made.replaceChildren(icon(done ? "check" : "alert"));
    made.setAttribute("aria-label", say(done ? "copied" : "cannot_copy"));
    setTimeout(() => {
      made.replaceChildren(icon(name));
      made.setAttribute("aria-label", label);
    }, 1600);
  }
  return made;
}

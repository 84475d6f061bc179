/** Colours code and sets formulas with what the server makes of them; without it they stay the text that they are. */

import { element } from "../elements.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const MARKS = "code[data-language]:not([data-rendered]), .formula:not([data-rendered])";
/** What the server takes in one request, and of each kind. */
const MOST = 50;
const LONGEST = { code: 10000, math: 1000 };

/** @type {Map<string, Promise<any>>} by what was asked */
const known = new Map();
const KEPT = 500;

/**
 * @param {Element} place shows prose
 * @param {(items: object[]) => Promise<{items: any[]}>} ask the server
 */
export async function renderMarks(place, ask) {
  const marks = [...place.querySelectorAll(MARKS)].map((mark) => ({ mark, item: itemOf(mark) }))
    .filter(({ item }) => item.text.length <= LONGEST[item.kind]).slice(0, MOST);
  askFor(marks.map(({ item }) => item), ask);
  await Promise.all(marks.map(async ({ mark, item }) => {
    const result = await known.get(keyOf(item));
    if (!result) return;
    mark.setAttribute("data-rendered", "");
    mark.replaceChildren(...(item.kind === "code" ? result.map(span) : [mathNode(result)]));
  }));
}

/** What of it is not known yet, in one request. */
function askFor(items, ask) {
  const missing = new Map(items.map((item) => [keyOf(item), item]).filter(([key]) => !known.has(key)));
  if (!missing.size) return;
  const asked = ask([...missing.values()]).then(({ items: results }) => results, () => {
    for (const key of missing.keys()) known.delete(key); // a request that failed says nothing of its texts
    return [];
  });
  [...missing.keys()].forEach((key, at) => known.set(key, asked.then((results) => results[at])));
  for (const key of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(key);
}

function itemOf(mark) {
  if (mark.dataset.tex === undefined) return { kind: "code", text: mark.textContent, language: mark.dataset.language.slice(0, 100) };
  return { kind: "math", text: mark.dataset.tex, display: mark.classList.contains("is-display") };
}

function keyOf(item) {
  return JSON.stringify(item);
}

function span([kind, text]) {
  return kind ? element("span", { class: `code-${kind}` }, text) : text;
}

function mathNode(node) {
  if (typeof node === "string") return new Text(node);
  const [tag, attributes, children] = node;
  const made = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.map(mathNode));
  return made;
}

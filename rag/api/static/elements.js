/** Makes elements from text and values, never from markup. */

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on*` are listeners, `class` and the like attributes; null, undefined and
 *   false are left out, true is an attribute without a value.
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button that submits nothing. */
export function button(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

/** A button that shows an icon alone; its label is its name and its tooltip. */
export function iconButton(name, label, attributes = {}) {
  const { class: extra = "", ...others } = attributes;
  return button({ class: `icon-button ${extra}`.trim(), "aria-label": label, title: label, ...others }, icon(name));
}

const SVG = "http://www.w3.org/2000/svg";

/** Strokes on a grid of 20 by 20. */
const STROKES = {
  menu: "M3.5 5.5h13M3.5 10h13M3.5 14.5h8",
  plus: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5L5 15",
  send: "M10 16V4.5M5 9.5l5-5 5 5",
  stop: "M6 6h8v8H6z",
  filter: "M3 5.5h14M5.5 10h9M8 14.5h4",
  copy: "M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M13 13l4 4",
  sources: "M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3M9.5 10.3h4M9.5 12.7h4",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  again: "M15.5 8.5A6 6 0 1 0 16 11M15.8 4.5v4h-4",
  out: "M8 5H5v10h10v-3M11.5 4.5h4v4M15 5l-6 6",
  pencil: "M4 16l.8-3.4L13 4.4l2.6 2.6-8.2 8.2zM11.5 6l2.6 2.6",
  trash: "M4.5 6h11M8 6V4.5h4V6M6 6l.6 9.5h6.8L14 6",
  sun: "M10 6.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4M10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M15.3 4.7l-1 1M5.7 14.3l-1 1",
  moon: "M15.5 11.8A6 6 0 0 1 8.2 4.5a6 6 0 1 0 7.3 7.3Z",
  theme: "M10 3.5a6.5 6.5 0 1 0 0 13zM10 3.5a6.5 6.5 0 0 1 0 13",
  previous: "M12 5l-5 5 5 5",
  next: "M8 5l5 5-5 5",
  book: "M10 5.5C8.3 4.3 6 4 3.5 4.3v10.4c2.5-.3 4.8 0 6.5 1.2 1.7-1.2 4-1.5 6.5-1.2V4.3C14 4 11.7 4.3 10 5.5Zm0 0v10.4",
  up: "M7 9l3-5.5c1.4 0 2 1 1.7 2.3L11.3 8H15a1.5 1.5 0 0 1 1.5 1.8l-.9 4.5A1.5 1.5 0 0 1 14.1 15.5H7zM7 9v6.5H4V9z",
  down: "M7 11l3 5.5c1.4 0 2-1 1.7-2.3L11.3 12H15a1.5 1.5 0 0 0 1.5-1.8l-.9-4.5A1.5 1.5 0 0 0 14.1 4.5H7zM7 11V4.5H4V11z",
  alert: "M10 3.5l7 12.5H3zM10 8.5v3.5M10 14v.1",
  key: "M12.5 4a3.5 3.5 0 1 0-3 5.3L5 14v2h2v-1.5h1.5V13H10l1.5-2.2A3.5 3.5 0 0 0 12.5 4Z",
};

/** A picture that says nothing to screen readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, value] of [["viewBox", "0 0 20 20"], ["class", "icon"], ["aria-hidden", "true"]]) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", STROKES[name]);
  svg.append(path);
  return svg;
}

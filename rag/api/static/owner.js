/** The owner's page: what readers ask, what the book did not answer, and what it costs. */

import { element } from "./elements.js";
import { askForKey, KeyRing } from "./key.js";
import { speak } from "./language.js";
import { isWebAddress } from "./markdown/inline.js";
import { Wire } from "./wire.js";

const base = new URL(".", document.baseURI).pathname.replace(/\/$/, "");
const keys = new KeyRing(`${base}owner`);
const wire = new Wire(base, keys);
const find = (selector) => document.querySelector(selector);
const choice = find(".owner-choice");
const said = find(".owner-said");

choice.addEventListener("change", load);
choice.addEventListener("submit", (event) => event.preventDefault());
await speak(document.documentElement.lang);
await load();

async function load() {
  const { kind, since } = Object.fromEntries(new FormData(choice));
  try {
    const [report, { usage }] = await Promise.all([wire.ownerQuestions(since, kind), wire.ownerUsage(since)]);
    said.textContent = `${report.total} ${report.total === 1 ? "question" : "questions"} in ${report.groups.length} ${report.groups.length === 1 ? "group" : "groups"}`;
    show(find("#questions"), QUESTIONS, report.groups, "No such questions in this time.");
    show(find("#usage"), USAGE, usage, "Nothing was asked in this time.");
  } catch (problem) {
    if ((problem.status === 401 || problem.status === 403) && (await askForKey(document.body, keys))) return load();
    said.textContent = problem.message;
  }
}

/** @type {[string, (group: object) => Node|string, string?][]} */
const QUESTIONS = [
  ["Question", questionCell],
  ["Asked", ({ count }) => String(count), "number"],
  ["Unanswered", ({ unanswered }) => String(unanswered || ""), "number"],
  ["Weak", ({ weak }) => String(weak || ""), "number"],
  ["Rated down", ({ disliked }) => String(disliked || ""), "number"],
  ["Pages that should answer", ({ pages }) => element("ul", {}, ...pages.map((page) => element("li", {}, pageLink(page))))],
];
const USAGE = [
  ["Day", ({ day }) => day],
  ["Key", ({ name }) => element("bdi", {}, name)],
  ["Questions", ({ questions }) => String(questions), "number"],
  ["Answered", ({ answered }) => String(answered), "number"],
  ["Rated down", ({ disliked }) => String(disliked || ""), "number"],
  ["Tokens", ({ tokens }) => tokens.toLocaleString("en"), "number"],
  ["Cost", ({ cost }) => (cost === null ? "" : `$${cost.toFixed(4)}`), "number"],
];

function questionCell({ question, wordings, comments }) {
  const others = wordings.filter((wording) => wording !== question);
  return element("div", {},
    element("p", { class: "owner-question", dir: "auto" }, question),
    others.length ? details(`${others.length} other ${others.length === 1 ? "wording" : "wordings"}`, others) : null,
    comments.length ? details(`${comments.length} ${comments.length === 1 ? "comment" : "comments"}`, comments) : null);
}

function details(summary, lines) {
  return element("details", {}, element("summary", {}, summary), element("ul", {}, ...lines.map((line) => element("li", { dir: "auto" }, line))));
}

function pageLink({ title, url, source_file: file }) {
  return isWebAddress(url) ? element("a", { href: url, dir: "auto", title: file }, title) : element("span", { dir: "auto", title: file }, title);
}

function show(place, columns, rows, nothing) {
  if (!rows.length) {
    place.replaceChildren(element("p", { class: "note" }, nothing));
    return;
  }
  const head = element("tr", {}, ...columns.map(([name, , kind]) => element("th", { scope: "col", class: kind }, name)));
  const body = rows.map((row) => element("tr", {}, ...columns.map(([, cell, kind]) => element("td", { class: kind }, cell(row)))));
  place.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

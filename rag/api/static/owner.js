/** The owner's page: what readers ask, what the book did not answer, and what it costs. */

import { element } from "./elements.js";
import { askForKey, KeyRing } from "./key.js";
import { language, say, speak } from "./language.js";
import { isWebAddress } from "./markdown/inline.js";
import { Wire } from "./wire.js";

const base = new URL(".", document.baseURI).pathname.replace(/\/$/, "");
const keys = new KeyRing(`${base}owner`);
const wire = new Wire(base, keys);
const find = (selector) => document.querySelector(selector);
const choice = find(".owner-choice");
const said = find(".owner-said");

async function load() {
  const { kind, since } = Object.fromEntries(new FormData(choice));
  try {
    const [report, { usage }] = await Promise.all([wire.ownerQuestions(since, kind), wire.ownerUsage(since)]);
    const questions = say("owner_question_count", { count: report.total });
    said.textContent = say("owner_found", { questions, groups: say("owner_group_count", { count: report.groups.length }) });
    show(find("#questions"), QUESTIONS, report.groups, say("owner_no_questions"));
    show(find("#usage"), USAGE, usage, say("owner_no_usage"));
  } catch (problem) {
    if ((problem.status === 401 || problem.status === 403) && (await askForKey(document.body, keys))) return load();
    said.textContent = problem.message;
  }
}

/** Columns: the key of a name, what stands in a cell, its kind. @type {[string, (row: object) => Node|string, string?][]} */
const QUESTIONS = [
  ["owner_question", questionCell],
  ["owner_asked", ({ count }) => number(count), "number"],
  ["owner_unanswered", ({ unanswered }) => number(unanswered), "number"],
  ["owner_weak", ({ weak }) => number(weak), "number"],
  ["owner_disliked", ({ disliked }) => number(disliked), "number"],
  ["owner_pages", ({ pages }) => element("ul", {}, ...pages.map((page) => element("li", {}, pageLink(page))))],
];
const USAGE = [
  ["owner_day", ({ day }) => day],
  ["owner_key", ({ name }) => element("bdi", {}, name)],
  ["owner_questions", ({ questions }) => number(questions), "number"],
  ["owner_answered", ({ answered }) => number(answered), "number"],
  ["owner_disliked", ({ disliked }) => number(disliked), "number"],
  ["owner_tokens", ({ tokens }) => number(tokens), "number"],
  ["owner_cost", ({ cost }) => (cost === null ? "" : dollars(cost)), "number"],
];

/** A number as the language writes it; nothing for none. */
function number(count) {
  return count ? count.toLocaleString(language) : "";
}

function dollars(cost) {
  return cost.toLocaleString(language, { style: "currency", currency: "USD", minimumFractionDigits: 4 });
}

function questionCell({ question, wordings, comments }) {
  const others = wordings.filter((wording) => wording !== question);
  return element("div", {},
    element("p", { class: "owner-question", dir: "auto" }, question),
    others.length ? details(say("owner_other_wordings", { count: others.length }), others) : null,
    comments.length ? details(say("owner_comments", { count: comments.length }), comments) : null);
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
  const head = element("tr", {}, ...columns.map(([name, , kind]) => element("th", { scope: "col", class: kind }, say(name))));
  const body = rows.map((row) => element("tr", {}, ...columns.map(([, cell, kind]) => element("td", { class: kind }, cell(row)))));
  place.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

// Last: the columns above are known only then.
choice.addEventListener("change", load);
choice.addEventListener("submit", (event) => event.preventDefault());
await speak(document.documentElement.lang);
await load();

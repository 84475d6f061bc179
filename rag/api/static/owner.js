/** The owner's page: what readers ask, what the book did not answer, and what it costs. */

import { button, element } from "./elements.js";
import { askForKey, KeyRing } from "./key.js";
import { say, speak } from "./language.js";
import { isWebAddress } from "./markdown/inline.js";
import { answerList, openAnswer } from "./owner/answers.js";
import { download, watchReader } from "./owner/reader.js";
import { FIGURES, number, totals, trend } from "./owner/trend.js";
import { Wire } from "./wire.js";

const base = new URL(".", document.baseURI).pathname.replace(/\/$/, "");
const keys = new KeyRing(`${base}owner`);
const wire = new Wire(base, keys);
const find = (selector) => document.querySelector(selector);
const choice = find(".owner-choice");
const said = find(".owner-said");
const MARKED_AT_ONCE = 500;

const wanted = () => Object.fromEntries(new FormData(choice));

let loads = 0;

async function load() {
  const turn = ++loads;
  find("#questions").ariaBusy = "true";
  await tell(async () => {
    const [report, { usage }, figures] = await Promise.all([wire.ownerQuestions(wanted()), wire.ownerUsage(wanted()), wire.ownerTrend(wanted())]);
    // What was chosen since then is on its way.
    if (turn < loads) return said.textContent;
    const questions = say("owner_question_count", { count: report.total });
    find("#totals").replaceChildren(...totals(figures.totals));
    find("#trend").replaceChildren(...(figures.days.length ? [trend(figures.days, wanted().since)] : []));
    show(find("#days"), DAYS, figures.days.toReversed(), say("owner_no_usage"));
    show(find("#questions"), QUESTIONS, report.groups, say("owner_no_questions"));
    show(find("#usage"), USAGE, usage, say("owner_no_usage"));
    return say("owner_found", { questions, groups: say("owner_group_count", { count: report.groups.length }) });
  });
  if (turn === loads) find("#questions").ariaBusy = "false";
}

/** Says what came of it; asks for a key where one is needed, and tries again. @param {() => Promise<string>} act */
async function tell(act) {
  try {
    said.textContent = await act();
  } catch (problem) {
    if ((problem.status === 401 || problem.status === 403) && (await askForKey(document.body, keys))) return tell(act);
    said.textContent = problem.message;
  }
}

async function mark({ answers, count, done }) {
  const named = answers.map(({ thread_id, number: answer }) => ({ thread_id, number: answer }));
  for (let at = 0; at < named.length; at += MARKED_AT_ONCE) await wire.markDone(named.slice(at, at + MARKED_AT_ONCE), done < count);
  await load();
  return said.textContent;
}

/** Columns: the key of a name, what stands in a cell, its kind. @type {[string, (row: object) => Node|string, string?][]} */
const QUESTIONS = [
  ["owner_question", questionCell],
  ["owner_asked", ({ count }) => number(count), "number"],
  ["owner_unanswered", ({ unanswered }) => number(unanswered), "number"],
  ["owner_weak", ({ weak }) => number(weak), "number"],
  ["owner_liked", ({ liked }) => number(liked), "number"],
  ["owner_disliked", ({ disliked }) => number(disliked), "number"],
  ["owner_pages", ({ pages }) => element("ul", {}, ...pages.map((page) => element("li", {}, pageLink(page))))],
];
const COUNTS = FIGURES.map(([name, value]) => [name, value, "number"]);
const DAYS = [["owner_day", ({ day }) => day], ...COUNTS];
const USAGE = [
  ["owner_day", ({ day }) => day],
  ["owner_key", ({ name, key_id: id }) => element("span", {}, element("bdi", {}, name), " ", element("code", {}, id))],
  ...COUNTS.filter(([name]) => !["owner_unanswered", "owner_weak"].includes(name)),
];

function questionCell(group) {
  const { question, answers } = group;
  const list = element("details", {}, element("summary", {}, say("owner_answers")));
  // Made when it is opened: a group may have thousands.
  list.addEventListener("toggle", () => list.append(answerList(answers, (asked) => openAnswer(document.body, wire, asked))), { once: true });
  return element("div", {}, element("p", { class: "owner-question", dir: "auto" }, question), list,
    button({ class: "secondary", onclick: () => tell(() => mark(group)) }, say(group.done < group.count ? "owner_mark_done" : "owner_reopen")));
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
choice.addEventListener("submit", (event) => {
  event.preventDefault();
  tell(async () => (download(await wire.ownerFile(wanted()), "questions.csv"), said.textContent));
});
watchReader(find(".owner-reader"), wire, load);
await speak(document.documentElement.lang);
await load();

/** A failed request as a reader sees it: what happened, what can be done, and a button to do it. */

import { button, element, icon } from "../elements.js";

/** @param {import("../wire.js").Problem} problem */
function headline({ status }) {
  if (status === 0) return "No connection";
  if (status === 401) return "A key is needed";
  if (status === 403) return "Not open to your key";
  if (status === 429) return "Too many questions at once";
  if (status === 504) return "That took too long";
  if (status >= 500) return "The server could not answer";
  return "That could not be asked";
}

/**
 * @param {import("../wire.js").Problem} problem
 * @param {{again: () => void}} actions
 */
export function troubleNotice(problem, { again }) {
  const retry = button({ class: "secondary", onclick: again }, icon("again"), element("span", {}, "Try again"));
  if (problem.retryAfter) countDown(retry, problem.retryAfter);
  return element("div", { class: "trouble", role: "alert" },
    icon("alert"),
    element("div", {},
      element("p", { class: "trouble-title" }, headline(problem)),
      element("p", { dir: "auto" }, problem.message),
      problem.requestId ? element("p", { class: "note" }, `Request ${problem.requestId}`) : null,
      retry));
}

/** Holds the button back until the server wants to be asked again. */
function countDown(retry, seconds) {
  const words = retry.lastElementChild;
  const ready = Date.now() + seconds * 1000;
  const tick = () => {
    const left = Math.ceil((ready - Date.now()) / 1000);
    retry.disabled = left > 0;
    words.textContent = left > 0 ? `Try again in ${left} s` : "Try again";
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 250);
  tick();
}

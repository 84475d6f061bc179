/** A failed request as a reader sees it: what happened, what can be done, and a button to do it. */

import { button, element, icon } from "../elements.js";
import { say } from "../language.js";

/** @param {import("../wire.js").Problem} problem */
function headline({ status }) {
  if (status === 0) return "no_connection";
  if (status === 401) return "key_needed";
  if (status === 403) return "key_not_enough";
  if (status === 429) return "too_many";
  if (status === 504) return "too_long";
  if (status >= 500) return "server_failed";
  return "not_asked";
}

/**
 * @param {import("../wire.js").Problem} problem
 * @param {{again: () => void}} actions
 */
export function troubleNotice(problem, { again }) {
  const retry = button({ class: "secondary", onclick: again }, icon("again"), element("span", {}, say("try_again")));
  if (problem.retryAfter) countDown(retry, problem.retryAfter);
  return element("div", { class: "trouble", role: "alert" },
    icon("alert"),
    element("div", {},
      element("p", { class: "trouble-title" }, say(headline(problem))),
      element("p", { dir: "auto", lang: problem.status ? "en" : null }, problem.message),
      problem.requestId ? element("p", { class: "note" }, say("request", { id: problem.requestId })) : null,
      retry));
}

/** Holds the button back until the server wants to be asked again. */
function countDown(retry, seconds) {
  const words = retry.lastElementChild;
  const ready = Date.now() + seconds * 1000;
  const tick = () => {
    const left = Math.ceil((ready - Date.now()) / 1000);
    retry.disabled = left > 0;
    words.textContent = left > 0 ? say("try_again_in", { seconds: left }) : say("try_again");
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 250);
  tick();
}

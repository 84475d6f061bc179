/** What a reader thinks of an answer: two buttons, and after a "no" a line for what was wrong. */

import { element, iconButton } from "../elements.js";
import { say } from "../language.js";

const LONGEST = 1000;

/**
 * @param {(feedback: {rating: "up"|"down"|null, comment?: string}) => Promise<void>} send
 * @returns {HTMLElement}
 */
export function feedbackButtons(send) {
  const said = element("span", { class: "feedback-said", role: "status" });
  const up = iconButton("up", say("good_answer"), { class: "small", "aria-pressed": "false", onclick: () => choose("up") });
  const down = iconButton("down", say("bad_answer"), { class: "small", "aria-pressed": "false", onclick: () => choose("down") });
  const more = element("div", { hidden: true });
  let rating = null;

  async function choose(chosen) {
    const wanted = rating === chosen ? null : chosen;
    try {
      await send({ rating: wanted });
    } catch {
      said.textContent = say("not_saved");
      return;
    }
    rating = wanted;
    up.setAttribute("aria-pressed", String(rating === "up"));
    down.setAttribute("aria-pressed", String(rating === "down"));
    said.textContent = rating ? say("thanks") : "";
    more.hidden = rating !== "down";
    if (!more.hidden && !more.childElementCount) more.append(commentForm(comment));
  }

  async function comment(text) {
    await send({ rating: "down", comment: text });
    more.hidden = true;
    said.textContent = say("thanks_owner");
  }

  return element("div", { class: "feedback" }, element("span", { class: "feedback-buttons" }, up, down, said), more);
}

function commentForm(send) {
  const field = element("input", { type: "text", maxlength: LONGEST, dir: "auto", autocomplete: "off", "aria-label": say("what_was_wrong"), placeholder: say("what_was_wrong_optional") });
  const submit = async (event) => {
    event.preventDefault();
    if (field.value.trim()) await send(field.value.trim()).catch(() => field.setAttribute("aria-invalid", "true"));
  };
  return element("form", { class: "feedback-form", onsubmit: submit }, field, element("button", { class: "secondary" }, say("send")));
}

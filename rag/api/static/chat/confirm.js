/** Asks before what cannot be undone. */

import { button, element } from "../elements.js";
import { say } from "../language.js";

/**
 * @param {Node} place where the dialog is put
 * @param {{title: string, words: string, yes: string|null}} asked `yes` null only tells
 * @returns {Promise<boolean>}
 */
export function confirmIn(place, { title, words, yes }) {
  const { promise, resolve } = Promise.withResolvers();
  const stay = button({ class: "quiet", onclick: () => dialog.close() }, say(yes ? "cancel" : "close"));
  const dialog = element("dialog", { class: "modal", role: "alertdialog", "aria-labelledby": "confirm-title", "aria-describedby": "confirm-words" },
    element("form", { method: "dialog", class: "dialog-form" },
      element("h2", { id: "confirm-title" }, title),
      element("p", { id: "confirm-words", dir: "auto" }, words),
      element("div", { class: "dialog-actions" }, stay, yes && element("button", { class: "danger", value: "yes" }, yes))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  });
  place.append(dialog);
  dialog.showModal();
  stay.focus();
  return promise;
}

/**
 * Asks for a short text; resolves to null where it is left empty or as it was.
 * @param {Node} place where the dialog is put
 * @param {{title: string, value: string, yes: string}} asked
 * @returns {Promise<string|null>}
 */
export function askTextIn(place, { title, value, yes }) {
  const { promise, resolve } = Promise.withResolvers();
  const field = element("input", { type: "text", maxlength: 200, value, dir: "auto", autocomplete: "off", "aria-labelledby": "text-title" });
  const dialog = element("dialog", { class: "modal", "aria-labelledby": "text-title" },
    element("form", { method: "dialog", class: "dialog-form" },
      element("h2", { id: "text-title" }, title), field,
      element("div", { class: "dialog-actions" },
        button({ class: "quiet", onclick: () => dialog.close() }, say("cancel")), element("button", { class: "primary", value: "yes" }, yes))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    const text = field.value.trim();
    resolve(dialog.returnValue === "yes" && text && text !== value ? text : null);
  });
  place.append(dialog);
  dialog.showModal();
  field.select();
  return promise;
}

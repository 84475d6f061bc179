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

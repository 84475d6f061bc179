/** The reader's API key: where it is kept, and the dialog that asks for it once the server wants one. */

import { button, element } from "./elements.js";
import { forGood, forTab } from "./kept.js";
import { say } from "./language.js";

/** The key of one server. */
export class KeyRing {
  /**
   * @param {string} server names the key in storage, so that two servers do not share one
   * @param {string|null} given a key that the page itself carries
   */
  constructor(server = "", given = null) {
    this.name = `key${server && `.${server}`}`;
    this.key = forTab.get(this.name) ?? forGood.get(this.name) ?? given;
  }

  /** @param {string} key @param {boolean} stays kept after the tab is closed */
  keep(key, stays) {
    this.key = key;
    forTab.set(this.name, stays ? null : key);
    forGood.set(this.name, stays ? key : null);
  }

  forget() {
    this.key = null;
    forTab.set(this.name, null);
    forGood.set(this.name, null);
  }
}

/**
 * Asks for a key until one is given; resolves to whether it was.
 * @param {Node} place where the dialog is put
 * @param {KeyRing} keys
 * @returns {Promise<boolean>}
 */
export function askForKey(place, keys) {
  const { promise, resolve } = Promise.withResolvers();
  const field = element("input", {
    type: "password", id: "api-key", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "key-note",
  });
  const stays = element("input", { type: "checkbox" });
  const refused = keys.key ? element("p", { class: "note", role: "alert" }, say("key_refused")) : null;
  const form = element("form", { method: "dialog", class: "dialog-form", onsubmit: () => keys.keep(field.value.trim(), stays.checked) },
    element("h2", { id: "key-title" }, say("key_title")),
    refused,
    element("label", { class: "field" }, say("key_label"), field),
    element("p", { class: "note", id: "key-note" }, say("key_note")),
    element("label", { class: "check" }, stays, say("key_remember")),
    element("div", { class: "dialog-actions" },
      button({ class: "quiet", onclick: () => dialog.close() }, say("key_not_now")),
      element("button", { class: "primary", value: "kept" }, say("key_use"))));
  const dialog = element("dialog", { class: "modal", "aria-labelledby": "key-title" }, form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "kept");
  });
  place.append(dialog);
  dialog.showModal();
  field.focus();
  return promise;
}

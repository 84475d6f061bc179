/** One reader's data: exported as a file, or deleted for good. */

import { confirmIn } from "../chat/confirm.js";
import { element } from "../elements.js";
import { say } from "../language.js";

/**
 * @param {HTMLFormElement} form
 * @param {import("../wire.js").Wire} wire
 * @param {() => void} changed what is called once data was deleted
 */
export function watchReader(form, wire, changed) {
  const said = form.querySelector("[role=status]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const reader = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    try {
      said.textContent = event.submitter.value === "delete" ? await forget(reader) : await save(reader);
    } catch (problem) {
      said.textContent = problem.message;
    }
  });

  async function save(reader) {
    download(await wire.readerFile(reader), "reader.json");
    return "";
  }

  async function forget(reader) {
    const name = Object.values(reader).join(" ");
    const asked = { title: say("owner_delete_title"), words: say("owner_delete_words", { name }), yes: say("delete") };
    if (!name || !(await confirmIn(document.body, asked))) return "";
    const { threads, questions } = await wire.forgetReader(reader);
    changed();
    return say("owner_deleted", { threads, questions });
  }
}

/** Saves a file as a link would: with the key, which a link cannot send. @param {Blob} file @param {string} name */
export function download(file, name) {
  const address = URL.createObjectURL(file);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

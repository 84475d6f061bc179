/** Shares one answer by a link that can be revoked; its secret stands behind the #, which no server is sent. */

import { button, element, icon } from "../elements.js";
import { say } from "../language.js";
import { copyButton } from "../markdown/prose.js";

const LINK = /^#\/shared\/([0-9a-f-]{36})\/(\d{1,9})\/([\w-]{20,100})$/;

/** What a link in the address shares, null where it is none. @returns {{thread: string, number: string, token: string}|null} */
export function sharedInAddress() {
  const [, thread, number, token] = LINK.exec(location.hash) ?? [];
  return token ? { thread, number, token } : null;
}

/** @param {{link: () => Promise<string>, revoke: () => Promise<void>}} on */
export function shareButton({ link, revoke }) {
  const place = element("span", { class: "share" });
  const offer = () => place.replaceChildren(button({ class: "secondary", onclick: () => share().catch(failed) }, icon("out"), say("share")));
  const failed = () => place.append(element("span", { class: "feedback-said", role: "status" }, say("not_saved")));
  async function share() {
    const address = await link();
    const shown = element("input", { type: "text", readonly: true, value: address, dir: "ltr", "aria-label": say("share_link") });
    place.replaceChildren(shown, copyButton(say("copy_link"), () => address),
      button({ class: "quiet", onclick: () => revoke().then(offer, failed) }, say("share_stop")));
    shown.select();
  }
  offer();
  return place;
}

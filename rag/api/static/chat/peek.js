/** What a citation leads to, shown while a mouse rests on it; keyboard and fingers open the passage itself. */

import { element } from "../elements.js";
import { showProse } from "../markdown/prose.js";

const REST = 250;
const LEAVE = 150;
const GAP = 6;

/**
 * @param {HTMLElement} place holds citations
 * @param {(cite: HTMLElement) => Promise<{title: string, text: string}|null>} look
 * @returns {HTMLElement} what is shown, to be put beside `place`
 */
export function peekAt(place, look) {
  const card = element("div", { class: "peek", popover: "manual", "aria-hidden": "true" });
  let timer;
  let shown = null;
  const escaped = (event) => event.key === "Escape" && hide();
  const hide = () => {
    shown = null;
    removeEventListener("keydown", escaped);
    if (card.matches(":popover-open")) card.hidePopover();
  };
  const later = (act, pause) => {
    clearTimeout(timer);
    timer = setTimeout(act, pause);
  };
  const show = async (cite) => {
    shown = cite;
    const found = await look(cite);
    if (!found || shown !== cite || !cite.isConnected) return;
    const prose = element("div", { class: "prose" });
    showProse(prose, found.text);
    card.replaceChildren(element("p", { class: "peek-title", dir: "auto" }, found.title), prose);
    card.showPopover();
    addEventListener("keydown", escaped);
    const [at, own] = [cite, card].map((each) => each.getBoundingClientRect());
    // In a zoomed panel lengths are in its own units.
    const zoom = own.width / card.offsetWidth || 1;
    const below = at.bottom + GAP + own.height < innerHeight;
    card.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP)) / zoom}px`;
    card.style.top = `${(below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - own.height)) / zoom}px`;
  };
  place.addEventListener("pointerover", (event) => {
    const cite = event.target.closest(".cite:enabled");
    if (cite && event.pointerType === "mouse" && cite !== shown) later(() => show(cite), REST);
  });
  place.addEventListener("pointerout", (event) => event.target.closest(".cite") && later(hide, LEAVE));
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", () => later(hide, LEAVE));
  place.addEventListener("click", () => later(hide, 0));
  place.addEventListener("scroll", hide, { passive: true });
  return card;
}

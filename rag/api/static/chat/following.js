/** Keeps the end of a growing text in view, as long as the reader has not scrolled away from it. */

const NEAR = 48;

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} jump a button that is shown while the end is out of view
 */
export function followEnd(scroller, jump) {
  let isAtEnd = true;
  const toEnd = () => {
    isAtEnd = true;
    scroller.scrollTo({ top: scroller.scrollHeight, behavior: "instant" });
  };
  const toStart = () => scroller.scrollTo({ top: 0, behavior: "instant" });
  const look = () => {
    isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
    jump.hidden = isAtEnd;
  };
  scroller.addEventListener("scroll", look, { passive: true });
  scroller.addEventListener("grown", () => {
    if (isAtEnd) toEnd();
    look();
  });
  jump.addEventListener("click", toEnd);
  return { toEnd, toStart };
}

/**
 * What of an answer is in view. One rule decides, while it is written and after: its end is in view as long as its
 * beginning is. A question goes to the top, growing text follows until it fills the view, and nothing that is put
 * below the text moves it. A reader who scrolls is left alone; the button at the end of the view follows to the end.
 */

/** Pixels that the fading edges of the view take, and below them the button. */
const EDGE = 24;
const FOOT = 56;
const NEAR = 48;

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} jump a button that is shown while the end is out of view
 */
export function followAnswer(scroller, jump) {
  /** @type {{element: HTMLElement, prose: HTMLElement}|null} */
  let turn = null;
  /** @type {"answer"|"end"|"nothing"} */
  let followed = "nothing";
  let expected = 0;

  /** Distances in the units of scrollTop, also where a panel is zoomed. */
  const measured = (element) => {
    const [view, own] = [scroller, element].map((each) => each.getBoundingClientRect());
    const scale = view.height / scroller.clientHeight || 1;
    return { above: (own.top - view.top) / scale - EDGE, below: (own.bottom - view.bottom) / scale + FOOT };
  };
  const move = (by) => {
    if (Math.abs(by) >= 1) scroller.scrollTo({ top: scroller.scrollTop + by, behavior: "instant" });
    expected = scroller.scrollTop;
  };
  const end = () => (turn ? measured(turn.element.lastElementChild).below : 0);
  const look = () => {
    jump.hidden = end() < NEAR + FOOT;
  };
  const settle = () => {
    if (turn && followed === "answer") {
      const prose = measured(turn.prose);
      move(Math.max(measured(turn.element.firstElementChild).above, Math.min(prose.below, prose.above)));
    } else if (turn && followed === "end") {
      move(Math.max(measured(turn.prose).below, 0));
    }
    look();
  };

  scroller.addEventListener("scroll", () => {
    if (Math.abs(scroller.scrollTop - expected) > 1) followed = "nothing";
    look();
  }, { passive: true });
  scroller.addEventListener("grown", settle);
  new ResizeObserver(settle).observe(scroller);
  jump.addEventListener("click", () => {
    followed = "end";
    move(end());
    look();
  });

  return {
    /** A turn begins, or a kept one is shown: its question goes to the top. */
    begin(begun) {
      turn = begun;
      followed = "answer";
      settle();
    },
    toStart() {
      turn = null;
      followed = "nothing";
      move(-scroller.scrollTop);
      look();
    },
  };
}

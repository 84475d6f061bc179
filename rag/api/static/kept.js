/** What the browser keeps between visits; where storage is forbidden, nothing is kept and nothing fails. */

const PREFIX = "bookwise.";

/** @param {() => Storage} storage asked for late, since the mere look at a forbidden one raises */
function keeper(storage) {
  return {
    get(name) {
      try {
        return storage().getItem(PREFIX + name);
      } catch {
        return null;
      }
    },
    /** Keeps the text; null forgets it. */
    set(name, value) {
      try {
        if (value === null) storage().removeItem(PREFIX + name);
        else storage().setItem(PREFIX + name, value);
      } catch {
        // Full or forbidden: the choice then lasts as long as the page.
      }
    },
  };
}

/** Until the tab is closed. */
export const forTab = keeper(() => sessionStorage);

/** Until it is forgotten. */
export const forGood = keeper(() => localStorage);

/** The pictures of a passage, from the host of its own site alone; where none comes, its words stay. */

import { element } from "../elements.js";
import { isWebAddress } from "../markdown/inline.js";

const LONGEST = 2000;

/**
 * @param {Element} prose shows the passage
 * @param {string} page the address of its page
 */
export function showPictures(prose, page) {
  if (!isWebAddress(page)) return;
  for (const words of prose.querySelectorAll(".picture[data-source]")) loadPicture(words, addressesOf(words.dataset.source, new URL(page)));
}

/**
 * Where a picture may be: a lesson's file names it from its own folder, or from the root of the site, which may be
 * below a path of its host, and its page may be a folder deeper than the file.
 */
function addressesOf(source, page) {
  const bases = source.startsWith("/")
    ? [source, `/${page.pathname.split("/")[1]}${source}`].map((path) => [path, page])
    : [page, new URL(".", page), new URL("..", page)].map((base) => [source, base]);
  const found = bases.map(([path, base]) => URL.parse(path, base)).filter((address) => address?.host === page.host && address.protocol === page.protocol);
  return [...new Set(found.map(({ href }) => href))].filter((href) => href.length <= LONGEST);
}

function loadPicture(words, [first, ...others]) {
  if (!first) return;
  const picture = element("img", { alt: words.textContent, referrerpolicy: "no-referrer", decoding: "async" });
  picture.addEventListener("load", () => words.replaceChildren(picture));
  picture.addEventListener("error", () => loadPicture(words, others));
  picture.src = first;
}

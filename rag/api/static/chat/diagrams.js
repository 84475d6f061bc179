/** The diagrams of a passage, each drawn in a frame of its own without an origin; where none is drawn, its code stays. */

import { element } from "../elements.js";
import { say } from "../language.js";

const HIGHEST = 2000;
const MOST = 5;

/**
 * @param {Element} prose shows the passage
 * @param {string} base address of the server
 */
export function showDiagrams(prose, base) {
  [...prose.querySelectorAll('code[data-language="mermaid"]')].slice(0, MOST).forEach((code) => draw(code, `${base}/diagram`));
}

function draw(code, address) {
  const frame = element("iframe", { class: "diagram", sandbox: "allow-scripts", src: address, title: say("diagram"), height: 0 });
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.ready) frame.contentWindow.postMessage({ diagram: code.textContent }, "*");
    if (!(data?.drawn > 0)) return;
    frame.height = Math.min(data.drawn, HIGHEST);
    code.closest("pre").hidden = true;
    removeEventListener("message", hear);
  };
  addEventListener("message", hear);
  code.closest("figure").append(frame);
}

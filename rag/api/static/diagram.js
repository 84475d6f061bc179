/** Draws the diagram that the page around this frame sends, and tells it how high it is; nothing where it cannot. */

"use strict";

mermaid.initialize({ startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, htmlLabels: false, flowchart: { htmlLabels: false } });
addEventListener("message", async ({ data, source }) => {
  if (source !== parent || typeof data?.diagram !== "string") return;
  const place = document.createElement("div");
  place.textContent = data.diagram;
  document.body.replaceChildren(place);
  await mermaid.run({ nodes: [place], suppressErrors: true });
  const drawn = place.querySelector("svg");
  if (drawn) parent.postMessage({ drawn: Math.ceil(drawn.getBoundingClientRect().height) }, "*");
});
parent.postMessage({ ready: true }, "*");

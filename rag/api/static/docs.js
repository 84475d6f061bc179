/** The description of the API as a page, made from `openapi.json` without anything from other hosts. */

import { element } from "./elements.js";

const place = document.querySelector("#operations");
const description = await (await fetch("openapi.json", { credentials: "omit" })).json();
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
const tags = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "other");
place.append(...[...tags].map(([tag, found]) =>
  element("section", { "aria-label": tag }, element("h2", {}, tag), ...found.map(operationElement))));

function operationElement({ path, method, operation }) {
  const [, request] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const result = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  return element("details", {},
    element("summary", {}, element("span", { class: "method" }, method.toUpperCase()), element("code", {}, path), ` ${operation.summary ?? ""}`),
    element("p", {}, operation.description ?? ""),
    parameters(operation.parameters ?? []),
    request ? example("Request", request) : null,
    ...Object.entries(result?.[1].content ?? {}).map(([media, content]) => example(`Response ${result[0]}, ${media}`, content)));
}

function parameters(found) {
  if (!found.length) return null;
  return element("ul", {}, ...found.map(({ name, in: where, required, description: words }) =>
    element("li", {}, element("code", {}, name), ` (${where}${required ? ", required" : ""}) ${words ?? ""}`)));
}

function example(label, content) {
  const name = content.schema?.$ref?.split("/").pop();
  const shown = content.example ?? description.components.schemas[name]?.examples?.[0];
  if (shown === undefined) return null;
  const text = typeof shown === "string" ? shown : JSON.stringify(shown, null, 2);
  return element("div", {}, element("p", {}, label), element("pre", { tabindex: "0", role: "group", "aria-label": label }, element("code", {}, text)));
}

// What a screen reader would miss: controls without a name, headings that skip a level, doubled ids, hidden focus.
() => {
  const faults = [];
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true });
  const nameOf = (each) => [
    each.getAttribute("aria-label"),
    ...(each.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean).map((id) => document.getElementById(id)?.textContent),
    ...[...(each.labels ?? [])].map((label) => label.textContent),
    each.matches("button, a, summary") ? each.textContent : "",
  ].filter((name) => name?.trim())[0];

  for (const each of document.querySelectorAll("button, a[href], input, select, textarea, dialog[open], nav, [role=dialog], [tabindex='0']")) {
    if (isShown(each) && !nameOf(each)) faults.push(`no name: ${each.outerHTML.slice(0, 120)}`);
  }
  let level = 0;
  for (const each of document.querySelectorAll("main h1, main h2, main h3, main h4, main h5, main h6, header h1")) {
    if (!isShown(each)) continue;
    const own = Number(each.tagName[1]);
    if (own > level + 1) faults.push(`h${own} after h${level}: ${each.textContent}`);
    level = own;
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) faults.push(`two of #${id}`);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "popovertarget"]) {
    for (const each of document.querySelectorAll(`[${name}]`)) {
      for (const id of each.getAttribute(name).split(" ")) if (!document.getElementById(id)) faults.push(`${name}: no #${id}`);
    }
  }
  for (const landmark of ["main", "nav", "header"]) {
    if (document.querySelectorAll(landmark).length !== 1) faults.push(`not one ${landmark}`);
  }
  if (!document.documentElement.lang) faults.push("no language");
  return faults;
}

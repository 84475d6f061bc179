/**
 * The widget: puts a button on a page of another site, and the chat behind it. A classic script, so that it knows its
 * own address; all else is loaded when the button is first pressed.
 *
 *   <script src="https://HOST/widget.js" data-book="my-book" data-key="bw_..." defer></script>
 */
(() => {
  const script = document.currentScript;
  if (!script || document.querySelector("bookwise-chat")) return;
  /** The server may be under a path of its host. */
  const server = new URL(".", script.src).href.replace(/\/$/, "");
  const label = script.dataset.label ?? "Ask the book";

  const host = document.createElement("bookwise-chat");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { position: fixed !important; inset: auto 16px 16px auto !important; z-index: 2147483000; color-scheme: light dark; }
    :host([data-theme="light"]) { color-scheme: light; }
    :host([data-theme="dark"]) { color-scheme: dark; }
    .launch {
      all: initial; color-scheme: inherit; padding: 12px 18px; border-radius: 32px; cursor: pointer;
      font: 550 medium/1.25 system-ui, sans-serif; color: light-dark(#fff, #0b1f1d); background: light-dark(#0c6660, #6cc9bf);
      box-shadow: 0 2px 4px rgb(0 0 0 / 0.15), 0 6px 20px rgb(0 0 0 / 0.2);
    }
    .launch:focus-visible { outline: 2px solid light-dark(#0c6660, #6cc9bf); outline-offset: 3px; }
    .launch[hidden] { display: none; }
    @media print { :host { display: none; } }
  `);
  root.adoptedStyleSheets = [sheet];

  const launch = document.createElement("button");
  Object.assign(launch, { type: "button", className: "launch", textContent: label });
  launch.setAttribute("aria-haspopup", "dialog");
  launch.addEventListener("click", () => open(true));
  root.append(launch);

  /** @type {Promise<{open: (how: {focus: boolean}) => void}>|undefined} */
  let panel;
  async function open(focus) {
    launch.setAttribute("aria-busy", "true");
    panel ??= import(`${server}/static/widget/panel.js`).then(({ makePanel }) =>
      makePanel({ root, launch, server, label, options: script.dataset }));
    try {
      (await panel).open({ focus });
    } catch (error) {
      panel = undefined;
      launch.textContent = "The chat could not be loaded";
      console.error(`bookwise: is ${location.origin} among api.origins of ${server}?`, error);
    }
    launch.removeAttribute("aria-busy");
  }

  /** Follows the site's theme: Docusaurus and many others set data-theme on the document. */
  function follow() {
    const theme = document.documentElement.dataset.theme;
    if (theme === "light" || theme === "dark") host.dataset.theme = theme;
    else delete host.dataset.theme;
  }
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  follow();

  // Beside the body, which client-side navigation leaves alone.
  document.documentElement.append(host);
  if (wasOpen() && matchMedia("(min-width: 64rem)").matches) open(false);

  /** Whether the reader followed a link from an open chat; where it would cover the page, it stays closed. */
  function wasOpen() {
    try {
      return sessionStorage.getItem("bookwise.widget.open") === "yes";
    } catch {
      return false;
    }
  }
})();

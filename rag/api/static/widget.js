/**
 * The widget: puts a button on a page of another site, and the chat behind it. A classic script, so that it knows its
 * own address; all else is loaded when the button is first pressed.
 *
 * A site opens and closes it with `bookwise.open()`, `bookwise.close()` and `bookwise.toggle()`, or with elements that
 * carry `data-bookwise-open`; `bookwise.open("a question")` and the value of such an element are asked at once.
 * `bookwise.search("words")`, or the keys of `data-search="ctrl+k"`, open the search in the middle of the page. The
 * document gets the events `bookwise:opened`, `bookwise:asked` and `bookwise:rated`; `data-shortcut="ctrl+k"`, `data-lang`, `data-colour` and `data-corner="left"` are for its taste.
 *
 *   <script src="https://HOST/widget.js" data-book="my-book" data-key="bw_..." defer></script>
 */
(() => {
  const script = document.currentScript;
  if (!script || document.querySelector("bookwise-chat")) return;
  /** The server may be under a path of its host. */
  const server = new URL(".", script.src).href.replace(/\/$/, "");
  /** What is said before anything is loaded, by language: the button, and that the chat did not come. */
  const WORDS = {/* launch words */};
  const spoken = wanted().map((each) => each.toLowerCase().split("-")[0]).find((each) => Object.hasOwn(WORDS, each)) ?? "en";
  const label = script.dataset.label ?? WORDS[spoken][0];

  const host = document.createElement("bookwise-chat");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { position: fixed !important; inset: auto 16px 16px auto !important; z-index: 2147483000; color-scheme: light dark; }
    :host([data-corner="left"]) { inset: auto auto 16px 16px !important; }
    :host([data-theme="light"]) { color-scheme: light; }
    :host([data-theme="dark"]) { color-scheme: dark; }
    .launch {
      all: initial; color-scheme: inherit; padding: 12px 18px; border-radius: 32px; cursor: pointer;
      font: 550 medium/1.25 system-ui, sans-serif; color: light-dark(#fff, #0b1f1d); background: light-dark(#0c6660, #6cc9bf);
      box-shadow: 0 2px 4px rgb(0 0 0 / 0.15), 0 6px 20px rgb(0 0 0 / 0.2);
    }
    .launch:focus-visible { outline: 2px solid light-dark(#0c6660, #6cc9bf); outline-offset: 3px; }
    .launch[hidden] { display: none; }
    .frame {
      all: initial; color-scheme: inherit; box-sizing: border-box; position: absolute; inset: auto 0 0 auto; padding: 14px 18px; border-radius: 16px;
      inline-size: min(27rem, 100vw - 32px); block-size: min(42rem, 100vh - 32px); font: 600 medium/1.25 system-ui, sans-serif;
      color: light-dark(#1d1b18, #ece9e4); background: light-dark(#fffdfa, #1b1a18); box-shadow: 0 6px 32px rgb(0 0 0 / 0.25);
    }
    :host([data-corner="left"]) .frame { inset: auto auto 0 0; }
    @media print { :host { display: none; } }
  `);
  root.adoptedStyleSheets = [sheet];

  /** What the owner has set for every site. */
  const own = {/* own */};
  const { corner, shortcut, search } = script.dataset;
  const colour = script.dataset.colour ?? own.colour;
  if (corner === "left") host.dataset.corner = corner;

  const launch = document.createElement("button");
  Object.assign(launch, { type: "button", className: "launch", lang: spoken, dir: "auto", textContent: label });
  launch.setAttribute("aria-haspopup", "dialog");
  launch.addEventListener("click", () => open(true));
  if (/^#[0-9a-f]{6}$/i.test(colour ?? "")) {
    host.style.setProperty("--colour", colour);
    host.dataset.colour = colour;
    launch.style.setProperty("background", colour, "important");
    launch.style.setProperty("color", isLight(colour) ? "#000" : "#fff", "important");
  } else if (colour) console.warn(`bookwise: data-colour ${colour} is not of the form #rrggbb`);
  root.append(launch);

  /** What a press shows at once, until the chat has come. */
  const frame = document.createElement("div");
  Object.assign(frame, { className: "frame", lang: spoken, dir: "auto", textContent: label });

  /** @type {Promise<{open: (how: {focus: boolean, question?: string}) => void, close: () => void, search: (text?: string) => void}>|undefined} */
  let panel;
  async function show(act) {
    launch.setAttribute("aria-busy", "true");
    if (!panel) root.append(frame);
    panel ??= import(`${server}/static/panel.bundle.js`).then(({ makePanel }) =>
      makePanel({ root, launch, server, label, spoken, logo: own.has_logo && `${server}/logo`, options: script.dataset }));
    try {
      act(await panel);
    } catch (error) {
      panel = undefined;
      launch.textContent = WORDS[spoken][1];
      console.error(`bookwise: is ${location.origin} among api.origins of ${server}?`, error);
    }
    frame.remove();
    launch.removeAttribute("aria-busy");
  }

  const text = (given) => (typeof given === "string" && given.trim().slice(0, 1000)) || undefined;
  const open = (focus, question) => show((shown) => shown.open({ focus, question: text(question) }));

  async function close() {
    if (panel) (await panel).close();
  }

  const isOpen = () => launch.hidden;
  window.bookwise = {
    open: (question) => open(true, question),
    search: (given) => show((shown) => shown.search(text(given))),
    close,
    toggle: () => (isOpen() ? close() : open(true)),
  };

  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element && event.target.closest("[data-bookwise-open]");
    if (opener) open(true, opener.dataset.bookwiseOpen);
  });
  onKeys(shortcut, window.bookwise.toggle);
  onKeys(search, () => window.bookwise.search());

  /** @param {string|undefined} shortcut such as "ctrl+k" @param {() => void} act */
  function onKeys(shortcut, act) {
    if (!shortcut) return;
    const keys = shortcut.toLowerCase().split("+");
    const key = keys.at(-1);
    const held = (name) => keys.slice(0, -1).includes(name);
    addEventListener("keydown", (event) => {
      const isMod = event.ctrlKey || event.metaKey;
      if (event.key.toLowerCase() !== key || isMod !== (held("ctrl") || held("mod")) || event.altKey !== held("alt") || event.shiftKey !== held("shift")) return;
      // A plain key is what somebody types.
      if (!isMod && !event.altKey && event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable], bookwise-chat")) return;
      event.preventDefault();
      act();
    });
  }

  /** The languages of the interface, the dearest first: `data-lang="de"`, `"page"` for that of the site's page, or the reader's. */
  function wanted() {
    const { lang } = script.dataset;
    if (!lang) return navigator.languages;
    return [lang === "page" ? document.documentElement.lang : lang];
  }

  /** Whether black is read better than white on a colour (relative luminance of WCAG). */
  function isLight(hex) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
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

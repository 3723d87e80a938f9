/**
 * The script of the first page, which is inlined. It asks for the snapshot, loads the panel once the page is painted, and
 * keeps what comes meanwhile: messages of the host, and what the user types.
 */
import type { ToPanel } from "../../src/chat/protocol.ts";
import type { StartFailure } from "../../src/chat/start-failure.ts";
import { t, useLanguage } from "../../src/l10n/l10n.ts";
import type { VSCodeApi } from "./early-page.ts";

declare function acquireVsCodeApi(): VSCodeApi;

/** A window that is minimized gets no frames. */
const longestPaintMs = 200;
/** Who has opened the panel may type at once: so long after the page is painted, the first letter goes before the rest. */
const firstLetterMs = 50;
/** The user types when the last letter is not older. */
const typingMs = 200;

// Before the panel, whose modules keep texts in constants.
useLanguage(document.documentElement.lang, JSON.parse(document.getElementById("texts")?.textContent || "{}"));

const api = acquireVsCodeApi();
const own = document.currentScript;
const box = document.querySelector("textarea");
const messages: ToPanel[] = [];
const styled = Promise.withResolvers<void>();
const told = Promise.withResolvers<void>();
const ended = new AbortController();
const { signal } = ended;
let entered = false;
/** What stands in the place of the conversation while the host cannot start. */
let failure: HTMLElement | undefined;
let isComposing = false;
let typedAt = Number.NEGATIVE_INFINITY;

window.rondo = {
  api,
  styled: styled.promise,
  told: told.promise,
  pause: () => pauseIn(typedAt + typingMs - performance.now()),
  end() {
    ended.abort();
    return { messages, entered };
  },
};

const saved = api.getState() ?? { draft: "", scroll: undefined, look: undefined };
const { draft, typed, look } = saved;
if (box) box.value = typed ?? draft;
if (box && look) {
  box.placeholder = look.placeholder;
  for (const title of document.querySelectorAll("h1")) title.textContent = look.title;
  const classes = { compact: look.running, one: look.asks, stack: !look.asks };
  for (const [name, on] of Object.entries(classes)) box.parentElement?.classList.toggle(name, on);
  document.querySelector(".Chat")?.classList.toggle("asks", look.asks);
  document.querySelector(".extras")?.classList.toggle("folded", look.asks);
}

// Only the host can post messages to this page, which is alone in its frame.
addEventListener(
  "message",
  ({ data }: MessageEvent<ToPanel | StartFailure>) => {
    failure?.remove();
    if (data.type === "start-failure") {
      failure = sayFailed(data);
      return;
    }
    messages.push(data);
    if (data.type === "snapshot") told.resolve();
  },
  { signal },
);

// VS Code gives the focus to the frame. Nothing else can take it yet.
addEventListener("focus", () => document.activeElement === document.body && box?.focus(), { signal });

box?.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    entered = true;
  },
  { signal },
);
box?.addEventListener(
  "input",
  () => {
    typedAt = performance.now();
    // The page may be discarded before the panel is there.
    api.setState({ ...saved, typed: box.value });
  },
  { signal },
);
for (const type of ["compositionstart", "compositionend"]) {
  box?.addEventListener(type, () => (isComposing = type === "compositionstart"), { signal });
}

/** Resolves after `ms`, or when a letter is painted. A word that an input method composes is finished first. */
function pauseIn(ms: number): Promise<void> {
  if (ms <= 0 && !isComposing) return Promise.resolve();
  return new Promise((resolve) => {
    const over = new AbortController();
    const go = () => {
      if (isComposing) return;
      over.abort();
      resolve();
    };
    // A task after the frame's callbacks: by then it is painted.
    const painted = () => requestAnimationFrame(() => setTimeout(go));
    for (const type of ["input", "compositionend"]) box?.addEventListener(type, painted, { signal: over.signal });
    setTimeout(go, ms);
  });
}
// Who goes on after Enter has not sent it: it was a new line.
box?.addEventListener(
  "beforeinput",
  () => {
    if (entered) box.setRangeText("\n", box.selectionStart, box.selectionEnd, "end");
    entered = false;
  },
  { signal },
);

/** Says why the host cannot start, with a button that tries it again. What is typed stays. */
function sayFailed({ message }: StartFailure): HTMLElement {
  const notice = Object.assign(document.createElement("div"), { className: "start-failure", role: "alert" });
  const again = Object.assign(document.createElement("button"), { className: "Button", textContent: t("Try again") });
  again.addEventListener("click", () => {
    again.disabled = true;
    box?.focus();
    api.postMessage({ type: "start-again" });
  });
  notice.append(Object.assign(document.createElement("p"), { textContent: message }), again);
  document.querySelector(".Chat .view .view")?.append(notice);
  return notice;
}

let loads = false;

/** Loads the panel, once. */
function loadRest() {
  if (loads) return;
  loads = true;
  const { nonce, dataset } = own instanceof HTMLScriptElement ? own : document.createElement("script");
  const file = (name: string) => `${dataset["dist"]}/${name}`;
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: file("style.css") });
  for (const event of ["load", "error"]) style.addEventListener(event, () => styled.resolve());
  document.head.append(style, Object.assign(document.createElement("script"), { src: file("panel.js"), nonce }));
}

/** The view is shown when its page has loaded. What is added later is not waited for. */
addEventListener("load", () => {
  setTimeout(loadRest, longestPaintMs);
  requestAnimationFrame(() => {
    // A task after the frame's callbacks: by then it is painted.
    setTimeout(() => void pauseIn(firstLetterMs).then(loadRest));
  });
});

api.postMessage({ type: "ready" });

/** The panel's entry: takes the first page over when the host has sent its snapshot, and receives the host's messages. */
import { hydrate } from "svelte";
import type { ToPanel } from "../src/chat/protocol.ts";
import { guardFocus } from "./controls/focus-guard.ts";
import { parseLink } from "./markdown/link-target.ts";
import { warmUp } from "./markdown/markdown.ts";
import Panel from "./Panel.svelte";
import { sendOpenFile } from "./panel/open-file.ts";
import { panel } from "./panel/panel.svelte.ts";
import { send } from "./panel/vscode-api.ts";
import { dollars } from "./text/format.ts";

/** Opens links in replies: they have no `href`, so the host is told. */
function followLink(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest("[data-href]") : null;
  const place = parseLink(link?.getAttribute("data-href") ?? "");
  if (!place) return;
  event.preventDefault();
  if (place.type === "web") send({ type: "open-link", url: place.url });
  else sendOpenFile(place.path, place);
}
document.addEventListener("click", followLink);
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter") followLink(event);
});

/** Makes the first page the panel's. Its text box stays the same element, with its text, focus and selection. */
function takeOver(): void {
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has no #root");
  const { messages, entered } = window.rondo.end();
  panel.begin(root.querySelector("textarea")?.value ?? "", entered);
  hydrate(Panel, { target: root });
  guardFocus();
  for (const message of messages) panel.inbox.receive(message);
  // Only the host can post messages to this page, which is alone in its frame.
  window.addEventListener("message", (event: MessageEvent<ToPanel>) => panel.inbox.receive(event.data));
  // Before the next key, which the panel could not send yet.
  panel.inbox.drawNow();
}

/** What is slow the first time is done in steps when there is nothing else to do: together they would delay a letter. */
function warmNext(steps: Iterator<void>): void {
  requestIdleCallback(() => steps.next().done || warmNext(steps));
}

function* firstTimes(): Generator<void, void> {
  dollars(0);
  yield;
  yield* warmUp();
}

const tellFocus = () => send({ type: "panel-focus", on: document.hasFocus() });
window.addEventListener("focus", tellFocus);
window.addEventListener("blur", tellFocus);
void window.rondo.styled.then(async () => {
  tellFocus();
  warmNext(firstTimes());
  await window.rondo.told;
  await window.rondo.pause();
  takeOver();
});

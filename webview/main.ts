/** The panel's entry: takes the host's messages, draws, and asks for everything there is. */
import { mount } from "svelte";
import type { ToPanel } from "../src/chat/protocol.ts";
import { target } from "./lib/link-target.ts";
import { warmUp } from "./lib/markdown.ts";
import { panel } from "./lib/panel.svelte.ts";
import { send } from "./lib/vscode-api.ts";
import Panel from "./Panel.svelte";

// Only the host can post into this page: it is alone in its frame.
window.addEventListener("message", (event: MessageEvent<ToPanel>) => panel.receive(event.data));

/** Links in replies have no address of their own; a press tells the host. */
function follow(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest("[data-href]") : null;
  const place = target(link?.getAttribute("data-href") ?? "");
  if (!place) return;
  event.preventDefault();
  if (place.type === "web") send({ type: "open-link", url: place.url });
  else send({ type: "open-file", path: place.path, ...(place.line && { line: place.line }) });
}
document.addEventListener("click", follow);
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter") follow(event);
});

const root = document.getElementById("root");
if (!root) throw new Error("the page has no #root");
mount(Panel, { target: root });
send({ type: "ready" });
requestIdleCallback(warmUp);

/** How each page of the panel is named, opened and drawn. */
import type { Component } from "svelte";
import type { Chat } from "../../src/chat/apply.ts";
import type { PageName } from "../../src/chat/pages.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";
import { t } from "../../src/l10n/l10n.ts";
import SessionsPage from "../sessions/SessionsPage.svelte";
import ContextPage from "./ContextPage.svelte";
import RivalsPage from "./RivalsPage.svelte";
import RulesPage from "./RulesPage.svelte";
import ServersPage from "./ServersPage.svelte";
import TracePage from "./TracePage.svelte";

interface PanelPage {
  title: string;
  component: Component<{ chat: Chat; host: PanelState }>;
  /** What the command of its name after "/" does; undefined: there is none. */
  command: string | undefined;
  /** Whether it takes the place of the message box, too. */
  isWhole?: true;
}

export const pages: Record<PageName, PanelPage> = {
  sessions: {
    title: t("Sessions"),
    component: SessionsPage,
    command: t("Show earlier sessions."),
    isWhole: true,
  },
  context: { title: t("Context"), component: ContextPage, command: t("Show what fills the context window.") },
  rules: { title: t("Permission rules"), component: RulesPage, command: t("Show the permission rules.") },
  servers: { title: t("MCP servers"), component: ServersPage, command: t("Show the MCP servers.") },
  trace: {
    title: t("Trace"),
    component: TracePage,
    command: t("Show what the last turns have done, and when."),
  },
  rivals: { title: t("Side by side"), component: RivalsPage, command: undefined },
};

/** Types of the table that maps each message of the panel to its handler. Each page of the panel brings its rows. */
import type * as vscode from "vscode";
import type { HostNotice } from "../../chat/host-notice.ts";
import type { ToHost, ToPanel } from "../../chat/protocol.ts";
import type { Conversations } from "../sessions/conversations.ts";

/** A message to the panel without its number, which it gets when it is sent. */
export type PanelMessage = Unnumbered<ToPanel>;
type Unnumbered<T> = T extends unknown ? Omit<T, "seq"> : never;

type Requests = { [R in ToHost as R["type"]]: R };

export type PanelRequest<T extends keyof Requests> = { [K in T]: { type: K } & Requests[K] }[T];

/** A handler for each type of message. The panel shows what a handler throws. */
export type Handlers = { [K in keyof Requests]: (request: PanelRequest<K>) => void | Promise<void> };

export async function handle<T extends keyof Requests>(handlers: Handlers, request: PanelRequest<T>): Promise<void> {
  await handlers[request.type](request);
}

export interface PanelContext {
  conversations: Conversations;
  /** Values that VS Code keeps for this workspace. */
  memory: vscode.Memento;
  /** Sends a message to the panel now, or as soon as the panel is there. */
  send(message: PanelMessage): void;
  stateChanged(): void;
  /** Resolves when the keys are read and the last session is on screen. */
  prepare(): Promise<void>;
  explain(error: unknown): HostNotice;
}

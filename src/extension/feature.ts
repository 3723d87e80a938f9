/** What a feature adds to a window, and what it hears there. `app.ts` lists the features. */
import type * as vscode from "vscode";
import type { PanelState } from "../chat/panel-state.ts";
import type { Handlers } from "./panel/handlers.ts";
import type { SessionObserver } from "./sessions/observers.ts";

export type Command = (...args: unknown[]) => unknown;

/** Returns undefined for a text that ended with an earlier window. */
export type TextOfDocument = (uri: vscode.Uri) => string | undefined | Promise<string | undefined>;

/** A feature has what it needs of these, and nothing of the others. */
export interface Feature {
  /** For the messages of the panel, by their type. The panel shows what a handler throws. */
  readonly handlers?: Partial<Handlers>;
  /** By id. One that the manifest does not declare is for links and buttons of Rondo's own. */
  readonly commands?: Record<string, Command>;
  /** Hears of the window's sessions. */
  readonly observer?: Partial<SessionObserver>;
  /** Texts of documents that are no files, by scheme. A scheme is an activation event in the manifest, too. */
  readonly documents?: Record<string, TextOfDocument>;
  /** Returns its share of what the panel shows beside the conversation. */
  state?(): Partial<PanelState>;
  /** Called when the panel's page is gone: a new one shows the conversation. */
  pageGone?(): void;
  /** Called once, before the first session is on screen. */
  prepare?(): void | Promise<void>;
  /** Called when the window closes, before the sessions end. */
  closing?(): void | Promise<void>;
  /** Called when the window closes, after the sessions have ended. Resolves when all is on disk. */
  close?(): void | Promise<void>;
  /** Ends it with the window, or with a start that fails. */
  dispose?(): void;
}

/** The members of a union, all at once. */
type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type HandlersOf<F> = F extends { readonly handlers: infer H } ? H : never;
type StateOf<F> = F extends { state(): infer S } ? S : never;

/** Returns the handlers of all features. As `Handlers` it does not compile while a message has none. */
export function handlersOf<F extends readonly Feature[]>(features: F): All<HandlersOf<F[number]>> {
  // As wide as the compiler has found it in each of them.
  return joined(features.map(({ handlers }) => handlers)) as All<HandlersOf<F[number]>>;
}

/** Returns the state of all features. As `PanelState` it does not compile while a part of it is nobody's. */
export function stateOf<F extends readonly Feature[]>(features: F): All<StateOf<F[number]>> {
  // As wide as the compiler has found it in each of them.
  return joined(features.map((feature) => feature.state?.())) as All<StateOf<F[number]>>;
}

/** Returns what all parts have, by key. @throws Error if two of them have the same key: one of both would do nothing */
export function joined<Value>(parts: readonly (Record<string, Value> | undefined)[]): Record<string, Value> {
  const all: Record<string, Value> = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part ?? {})) {
      if (Object.hasOwn(all, key)) throw new Error(`Two features have “${key}”.`);
      all[key] = value;
    }
  }
  return all;
}

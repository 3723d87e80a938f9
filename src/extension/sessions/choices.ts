/** Mode, model and agent of a session: those it begins with, and the model of its next turn. */
import type * as vscode from "vscode";
import * as z from "zod/mini";
import type { Chat } from "../../chat/apply.ts";
import { PermissionMode } from "../../chat/events.ts";
import { ModelRef } from "../../chat/message.ts";
import { ModelError } from "../../loop/model.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { Models } from "../models/models.ts";
import { vscodeProvider } from "../models/vscode-model.ts";
import { readSettings } from "../settings.ts";

export const remembered = {
  drafts: "rondo.drafts",
  session: "rondo.session",
  tabs: "rondo.tabs",
  choices: "rondo.choices",
  mode: "rondo.mode",
  model: "rondo.model",
};

const Kept = z.record(z.string(), z.object({ mode: z.optional(PermissionMode), model: z.optional(ModelRef) }));
type Kept = z.infer<typeof Kept>;

/** Maximum number of sessions whose choices are kept. */
const maxKept = 200;

/** Mode and model that the user has chosen in each session. Those of one session are no other's. */
export class SessionChoices {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  of(sessionID: string): Kept[string] {
    return this.#all()[sessionID] ?? {};
  }

  keep(sessionID: string, choice: Kept[string]): void {
    const { [sessionID]: before, ...others } = this.#all();
    const entries = [...Object.entries(others), [sessionID, { ...before, ...choice }] as const].slice(-maxKept);
    void this.#memory.update(remembered.choices, Object.fromEntries(entries));
  }

  #all(): Kept {
    return Kept.safeParse(this.#memory.get(remembered.choices)).data ?? {};
  }
}

/** Where the model that was started with last is kept, for all workspaces. */
export const startedWith = "rondo.startedWith";

/** Returns the model that was chosen last in this workspace, or else the one that was started with in any. */
export function modelToBeginWith(memory: vscode.Memento, globalState: vscode.Memento): ModelRef | undefined {
  const chosen = ModelRef.safeParse(memory.get(remembered.model)).data;
  const started = ModelRef.safeParse(globalState.get(startedWith)).data;
  // Until 0.4.0, VS Code's models were used unasked: sessions that began so go on.
  const before = memory.get(remembered.session) === undefined ? undefined : { providerID: vscodeProvider, modelID: "" };
  return chosen ?? started ?? before;
}

/** Choices of a session that is opened now. A session with messages keeps its agent. */
export function initialChoices(models: Models, memory: vscode.Memento, { session, messages }: Chat): Choices {
  const { agent, thinking, mode } = readSettings();
  const last = messages.findLast(({ info }) => info.role === "user")?.info;
  return {
    mode:
      new SessionChoices(memory).of(session.id).mode ??
      PermissionMode.safeParse(memory.get(remembered.mode)).data ??
      mode,
    model: modelFor(session.id, models, memory) ?? { providerID: "anthropic", modelID: "" },
    agent: last?.agent ?? agent,
    thinking,
    appended: "",
  };
}

/** Returns the model that was chosen in the session, or else the window's. */
export function modelFor(sessionID: string, models: Models, memory: vscode.Memento): ModelRef | undefined {
  const { model } = new SessionChoices(memory).of(sessionID);
  return model && models.canUse(model) ? model : models.current;
}

/** Gives the session its model and the current settings for its next turn. @throws ModelError when there is no model */
export function chooseModel(session: Session, models: Models, memory: vscode.Memento): void {
  if (models.readiness.type === "no-key") {
    const next = 'Set a key with "Rondo: Set API Key…", or start a server.';
    throw new ModelError("no-key", "No model is connected.", next);
  }
  const model = modelFor(session.chat.session.id, models, memory);
  if (!model) {
    throw new ModelError("unknown-model", "No model is chosen.", 'Choose one with "Rondo: Select Model…".');
  }
  session.choose({ thinking: readSettings().thinking, model });
}

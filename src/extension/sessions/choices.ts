/** Mode, model and agent of a session: those it begins with, and the model of its next turn. */

import type * as vscode from "vscode";
import * as z from "zod/mini";
import type { Chat } from "../../chat/apply.ts";
import { ModelRef } from "../../chat/message.ts";
import { PermissionMode } from "../../chat/permission-mode.ts";
import { BuildMode } from "../../chat/requests.ts";
import { type ThinkingLevel, thinkingLevels } from "../../chat/thinking.ts";
import { t } from "../../l10n/l10n.ts";
import { ModelError } from "../../loop/model.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { Models } from "../models/models.ts";
import { vscodeProvider } from "../models/vscode-model.ts";
import { readSettings } from "../settings.ts";

export const remembered = {
  drafts: "rondo.drafts",
  asked: "rondo.askedPrompts",
  session: "rondo.session",
  tabs: "rondo.tabs",
  choices: "rondo.choices",
  mode: "rondo.mode",
  model: "rondo.model",
  thinking: "rondo.thinking",
};

export type ChosenMode = Pick<Choices, "mode" | "modeEnd">;

const AnyLevel = z.enum(thinkingLevels);

const Kept = z.record(
  z.string(),
  z.object({
    mode: z.optional(PermissionMode),
    modeEnd: z.optional(z.object({ at: z.number(), next: BuildMode })),
    model: z.optional(ModelRef),
    thinking: z.optional(AnyLevel),
  }),
);
type Kept = z.infer<typeof Kept>;

/** Maximum number of sessions whose choices are kept. */
const maxKept = 200;

/** Mode, model and thinking that the user has chosen in each session. Those of one session are no other's. */
export class SessionChoices {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  of(sessionID: string): Kept[string] {
    return this.#all()[sessionID] ?? {};
  }

  keepMode(sessionID: string, { mode, modeEnd }: ChosenMode): void {
    const { modeEnd: _, ...others } = this.of(sessionID);
    this.#keep(sessionID, { ...others, mode, ...(modeEnd && { modeEnd }) });
  }

  keepModel(sessionID: string, model: ModelRef): void {
    this.#keep(sessionID, { ...this.of(sessionID), model });
  }

  keepThinking(sessionID: string, thinking: ThinkingLevel): void {
    this.#keep(sessionID, { ...this.of(sessionID), thinking });
  }

  /** Returns how much the model thinks in a session: as chosen there, or last in this workspace, or else as set. */
  thinkingIn(sessionID: string): ThinkingLevel {
    const chosen = this.of(sessionID).thinking ?? AnyLevel.safeParse(this.#memory.get(remembered.thinking)).data;
    return chosen ?? readSettings().thinking;
  }

  #keep(sessionID: string, choice: Kept[string]): void {
    const { [sessionID]: _, ...others } = this.#all();
    const entries = [...Object.entries(others), [sessionID, choice] as const].slice(-maxKept);
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
  const { agent } = readSettings();
  const last = messages.findLast(({ info }) => info.role === "user")?.info;
  return {
    ...initialMode(memory, session.id, messages.length === 0),
    model: modelFor(session.id, models, memory) ?? { providerID: "anthropic", modelID: "" },
    agent: last?.agent ?? agent,
    thinking: new SessionChoices(memory).thinkingIn(session.id),
    appended: "",
  };
}

/** Bypass belongs to one session, until its end: other sessions begin in the mode before it. */
function initialMode(memory: vscode.Memento, sessionID: string, isNew: boolean): ChosenMode {
  const settings = readSettings();
  const choices = new SessionChoices(memory);
  const { mode, modeEnd } = choices.of(sessionID);
  if (mode === "bypassPermissions") return restoredBypass(modeEnd);
  const other = mode ?? PermissionMode.safeParse(memory.get(remembered.mode)).data ?? settings.mode;
  if (other !== "bypassPermissions") return { mode: other, modeEnd: undefined };
  // Only the setting says so, or version 0.4.0, which kept no end.
  if (!isNew || settings.mode !== "bypassPermissions") return { mode: "default", modeEnd: undefined };
  const begun = bypassFromNow("default");
  choices.keepMode(sessionID, begun);
  return begun;
}

const bypassMs = () => readSettings().window["permission.bypassMinutes"] * 60_000;

/** Returns the mode Bypass with its end. `next`: the mode after it. */
export function bypassFromNow(next: BuildMode): ChosenMode {
  return { mode: "bypassPermissions", modeEnd: { at: Date.now() + bypassMs(), next } };
}

/** After a reload Bypass has the time that is left. A clock that was set back does not prolong it. */
function restoredBypass(end: Choices["modeEnd"]): ChosenMode {
  const now = Date.now();
  if (!end || end.at <= now) return { mode: end?.next ?? "default", modeEnd: undefined };
  return { mode: "bypassPermissions", modeEnd: { ...end, at: Math.min(end.at, now + bypassMs()) } };
}

/** Returns the model that was chosen in the session, or else the window's. */
export function modelFor(sessionID: string, models: Models, memory: vscode.Memento): ModelRef | undefined {
  const { model } = new SessionChoices(memory).of(sessionID);
  return model && models.canUse(model) ? model : models.current;
}

/** Gives the session its model and the current settings for its next turn. @throws ModelError when there is no model */
export function chooseModel(session: Session, models: Models, memory: vscode.Memento): void {
  if (models.readiness.type === "no-key") {
    const next = t('Set a key with "Rondo: Set API Key…", or start a server.');
    throw new ModelError("no-key", t("No model is connected."), next);
  }
  const { id } = session.chat.session;
  const model = modelFor(id, models, memory);
  if (!model) {
    throw new ModelError("unknown-model", t("No model is chosen."), t('Choose one with "Rondo: Select Model…".'));
  }
  session.choose({ thinking: new SessionChoices(memory).thinkingIn(id), model });
}

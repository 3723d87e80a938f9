/** Mode, model and agent of a session: those it begins with, and the model of its next turn. */
import type * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { PermissionMode } from "../../chat/events.ts";
import { ModelError } from "../../loop/model.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { Models } from "../models/models.ts";
import { readSettings } from "../settings.ts";

export const remembered = { draft: "rondo.draft", session: "rondo.session", mode: "rondo.mode", model: "rondo.model" };

/** Choices of a session that is opened now. A session with messages keeps its agent. */
export function initialChoices(models: Models, memory: vscode.Memento, { messages }: Chat): Choices {
  const { agent, thinking, mode } = readSettings();
  const last = messages.findLast(({ info }) => info.role === "user")?.info;
  return {
    mode: PermissionMode.safeParse(memory.get(remembered.mode)).data ?? mode,
    model: models.current ?? { providerID: "anthropic", modelID: "" },
    agent: last?.agent ?? agent,
    thinking,
    appended: "",
  };
}

/** Gives the session the current model and settings for its next turn. @throws ModelError when there is no model */
export function chooseCurrentModel(session: Session, { current, readiness }: Models): void {
  if (readiness.type === "no-key") {
    const next = 'Set a key with "Rondo: Set API Key…", or start a server.';
    throw new ModelError("no-key", "No model is connected.", next);
  }
  if (!current) {
    throw new ModelError("unknown-model", "No model is chosen.", 'Choose one with "Rondo: Select Model…".');
  }
  session.choose({ thinking: readSettings().thinking, model: current });
}

/**
 * Collects what debugged programs print, since VS Code has no way to read the Debug Console. Part of the small bundle
 * that VS Code reads at start-up: imports nothing.
 */
import * as vscode from "vscode";

/** Characters kept for a session; of more, the end. */
const maxChars = 100_000;
/** The output of so many sessions is kept. */
const maxSessions = 5;

interface CollectedOutput {
  name: string;
  text: string;
}

export class DebugOutput implements vscode.Disposable {
  /** By session ID; the one that printed last is the last. */
  readonly #sessions = new Map<string, CollectedOutput>();
  readonly #registration = vscode.debug.registerDebugAdapterTrackerFactory("*", {
    createDebugAdapterTracker: (session) => ({
      onDidSendMessage: (message: unknown) => this.#take(session, outputOf(message)),
    }),
  });

  /** The output of the session that is shown, else of the one that printed last. */
  get current(): CollectedOutput | undefined {
    const active = vscode.debug.activeDebugSession;
    const shown = active && this.#sessions.get(rootOf(active).id);
    return shown ?? [...this.#sessions.values()].at(-1);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #take(session: vscode.DebugSession, text: string): void {
    if (text === "") return;
    // A child session prints to the console of the one that the user started.
    const { id, name } = rootOf(session);
    const before = this.#sessions.get(id)?.text ?? "";
    this.#sessions.delete(id);
    this.#sessions.set(id, { name, text: (before + text).slice(-maxChars) });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

function rootOf(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession ? rootOf(session.parentSession) : session;
}

/** Returns the text of an `output` event of the Debug Adapter Protocol, "" for all other messages. */
function outputOf(message: unknown): string {
  const { event, body } = record(message);
  const { category, output } = record(body);
  return event === "output" && category !== "telemetry" && typeof output === "string" ? output : "";
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

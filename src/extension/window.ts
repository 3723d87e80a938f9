/** A window: what its features share, and how they run in it. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { Owned } from "../base/owned.ts";
import type { HostNotice } from "../chat/host-notice.ts";
import { t } from "../l10n/l10n.ts";
import type { DebugOutput } from "./editor/debug-output.ts";
import { type Command, type Feature, joined, type TextOfDocument } from "./feature.ts";
import { explainError } from "./panel/explain-error.ts";
import type { PanelMessage } from "./panel/handlers.ts";
import { Panel } from "./panel/panel.ts";
import { Observers } from "./sessions/observers.ts";

export interface StartOptions {
  context: vscode.ExtensionContext;
  /** Commands that are registered already. The internal ones are registered here. */
  declared: ReadonlySet<string>;
  debugOutput: DebugOutput;
  log: vscode.LogOutputChannel;
}

/** The text of a comparison that the window shows again after a reload. */
const closedWithWindow = `${t("This comparison ended when the window was reloaded. Open it again from Rondo's panel.")}\n`;

export class EditorWindow {
  readonly context: vscode.ExtensionContext;
  readonly debugOutput: DebugOutput;
  readonly log: vscode.LogOutputChannel;
  /** Values that VS Code keeps for this workspace. */
  readonly memory: vscode.Memento;
  /** Folder of this workspace's sessions and reviews. */
  readonly storage: vscode.Uri;
  readonly panel: Panel;
  /** Those who hear of the sessions. */
  readonly observers = new Observers();
  readonly #declared: ReadonlySet<string>;
  readonly #owned: Owned;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when what the panel shows beside the conversation may be another. */
  readonly onDidChangeState = this.#changed.event;
  readonly #features: Feature[] = [];
  #documents: Record<string, TextOfDocument> = {};
  #prepared: Promise<void> | undefined;

  /** `owned` gets each part that ends with the window, or with a start that fails. */
  constructor({ context, declared, debugOutput, log }: StartOptions, owned: Owned) {
    this.context = context;
    this.debugOutput = debugOutput;
    this.log = log;
    this.memory = context.workspaceState;
    this.storage = windowStorage(context.globalStorageUri);
    this.#declared = declared;
    this.#owned = owned;
    this.panel = this.own(new Panel(log, this.explain));
    this.own(this.#changed);
    this.own(this.onDidChangeState(() => this.panel.stateChanged()));
  }

  readonly own = <T extends vscode.Disposable>(one: T): T => this.#owned.add(one);

  readonly stateChanged = (): void => this.#changed.fire();

  /** Sends a message to the panel now, or as soon as the panel is there. */
  readonly send = (message: PanelMessage): void => this.panel.send(message);

  readonly explain = (error: unknown): HostNotice => explainError(error, this.log);

  /** Resolves when the keys are read and the last session is on screen. */
  readonly prepare = async (): Promise<void> => {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
  };

  /** Lets features hear of the sessions, and registers their commands. Returns all commands. */
  run(features: readonly Feature[]): Record<string, Command> {
    this.#features.push(...features);
    this.#documents = joined(features.map(({ documents }) => documents));
    for (const { observer } of features) if (observer) this.observers.add(observer);
    const commands = joined(features.map((feature) => feature.commands));
    for (const [id, run] of Object.entries(commands)) {
      if (!this.#declared.has(id)) this.own(vscode.commands.registerCommand(id, run));
    }
    return commands;
  }

  /** To be called when the panel's page is gone. */
  readonly pageGone = (): void => {
    for (const feature of this.#features) feature.pageGone?.();
  };

  /** Returns the text of a document with one of Rondo's schemes. */
  async document(uri: vscode.Uri): Promise<string> {
    return (await this.#documents[uri.scheme]?.(uri)) ?? closedWithWindow;
  }

  /** Stops everything that runs. `endSessions` resolves when their events are on disk. */
  async close(endSessions: () => Promise<void>): Promise<void> {
    await Promise.all(this.#features.map((feature) => feature.closing?.()));
    await endSessions();
    await Promise.all(this.#features.map((feature) => feature.close?.()));
  }

  async #prepare(): Promise<void> {
    for (const feature of this.#features) await feature.prepare?.();
  }
}

/**
 * Returns the folder of this workspace's sessions and reviews. It is not `storageUri`: while the extension host of a
 * reloaded window lives on, VS Code gives the new window another folder, and the sessions would seem lost.
 */
function windowStorage(root: vscode.Uri): vscode.Uri {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const name = workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join("\n");
  const key = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return vscode.Uri.joinPath(root, "workspaces", name === "" ? "none" : key);
}

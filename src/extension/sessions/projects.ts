/** What the workspace and the user's folder bring: agents, rules, memory, hooks. Of the workspace only what is trusted. */
import os from "node:os";
import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import type { AgentChoice } from "../../chat/protocol.ts";
import type { Hooks } from "../../loop/hooks.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { Project } from "../../loop/setup/project.ts";
import { commandHooks } from "../../project/command-hooks.ts";
import { loadHooks } from "../../project/hook-settings.ts";
import { loadProject } from "../../project/project.ts";
import { readSettings } from "../settings.ts";

/** Several files often change at once, as when a branch is checked out; in ms. */
const settled = 200;

export class Projects implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<void>();
  /** The agents may be others now. */
  readonly onDidChange = this.#changed.event;
  readonly #told = new Set<string>();
  readonly #own: vscode.Disposable[] = [];
  #agents: AgentChoice[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Read anew each time; what could not be used is in the log, once. */
  load(): Project {
    const project = loadProject(world());
    this.#tell(project.problems);
    return project;
  }

  /** Those that the user can choose or mention. */
  get agents(): AgentChoice[] {
    this.#agents ??= loadProject(world())
      .agents.all()
      .filter(({ hidden }) => !hidden)
      .map(({ name, description, mode }) => ({ name, description, mode }));
    return this.#agents;
  }

  /** The hooks of a session, read when the first is asked for and then the same for all its life. */
  hooks(chat: Chat, recordPath: string, choices: Choices): Hooks {
    const context = {
      cwd: chat.session.cwd || os.homedir(),
      sessionID: chat.session.id,
      transcriptPath: recordPath,
      permissionMode: () => choices.mode,
      env: process.env,
      onNote: (message: string) => this.#log.info(message),
    };
    return whenAsked(() => {
      const settings = loadHooks({ ...world(), own: readSettings().hooks });
      this.#tell(settings.problems);
      return commandHooks(settings, context);
    });
  }

  /** From now on the list of agents follows the files. */
  watch(): void {
    if (this.#own.length > 0) return;
    this.#own.push(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#refresh()));
    this.#own.push(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#refresh()));
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const files = new vscode.RelativePattern(uri, "{AGENT.md,.rondo/agents/**,.claude/agents/**}");
      const watcher = vscode.workspace.createFileSystemWatcher(files);
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) {
        this.#own.push(event(() => this.#refreshSoon()));
      }
      this.#own.push(watcher);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
    for (const one of this.#own) one.dispose();
  }

  #tell(problems: readonly string[]): void {
    for (const problem of problems) if (!this.#told.has(problem)) this.#log.warn(problem);
    for (const problem of problems) this.#told.add(problem);
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refresh(), settled);
  }

  #refresh(): void {
    this.#agents = undefined;
    this.#changed.fire();
  }
}

function world(): { folders: string[]; home: string; trusted: boolean } {
  const uris = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  const folders = uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  return { folders, home: os.homedir(), trusted: vscode.workspace.isTrusted };
}

function whenAsked(load: () => Hooks): Hooks {
  let loaded: Hooks | undefined;
  const hooks = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    has: (event) => hooks().has(event),
    fire: (...args) => hooks().fire(...args),
  };
}

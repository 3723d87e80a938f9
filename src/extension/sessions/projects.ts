/** Agents, rules, memory and hooks of the user and, if it is trusted, of the workspace. */
import os from "node:os";
import * as vscode from "vscode";
import { passedVariables } from "../../base/node/without-keys.ts";
import type { Chat } from "../../chat/apply.ts";
import type { AgentChoice } from "../../chat/panel-state.ts";
import type { Hooks } from "../../loop/hooks.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { GitState, Project } from "../../loop/setup/project.ts";
import { loadCommands, type PromptCommand } from "../../project/command-files.ts";
import { gitState } from "../../project/git-state.ts";
import { ProjectReader } from "../../runtime/project-reader.ts";
import type { ConfigPlaces, ReadBoundary } from "../../tools/node-host/config-files.ts";
import { openFolders } from "../host/documents.ts";
import { readSettings } from "../settings.ts";

/** Delay of a refresh: several files often change at once, for example when a branch is checked out. */
const refreshDelayMs = 200;

export class Projects implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #reader: ProjectReader;
  readonly #boundary: () => ReadBoundary;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #own: vscode.Disposable[] = [];
  #agents: AgentChoice[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: vscode.LogOutputChannel, boundary: () => ReadBoundary) {
    this.#log = log;
    this.#reader = new ProjectReader((problem) => log.warn(problem));
    this.#boundary = boundary;
  }

  /** Reads the project of the folders again at each call. Each problem is logged once. */
  load(folders = openFolders()): Project {
    return this.#reader.load(this.#sources(folders));
  }

  /** An untrusted workspace is not looked at. */
  async gitState(folders = openFolders()): Promise<GitState> {
    const { trusted } = this.#sources(folders);
    const [first] = folders;
    return first === undefined || !trusted ? "unknown" : await gitState(first);
  }

  /** Agents that the user can choose or mention. */
  get agents(): AgentChoice[] {
    this.#agents ??= this.load()
      .agents.all()
      .filter(({ hidden }) => !hidden)
      .map(({ name, description, mode }) => ({ name, description, mode }));
    return this.#agents;
  }

  /** Reads the commands of the workspace and the user, and skills, by name, again at each call. */
  loadCommands(): ReadonlyMap<string, PromptCommand> {
    const { commands, problems } = loadCommands(this.#sources());
    this.#reader.report(problems);
    return commands;
  }

  /** Returns the hooks of a session. They are read at the first use and stay the same until it is closed. */
  hooks(chat: Chat, recordPath: string, choices: Choices, folders = openFolders()): Hooks {
    const context = {
      cwd: chat.session.cwd || os.homedir(),
      sessionID: chat.session.id,
      transcriptPath: recordPath,
      choices,
      env: process.env,
      passed: passedVariables(readSettings().terminal.passEnvironment, process.env),
      note: (message: string) => this.#log.info(message),
    };
    let loaded: Hooks | undefined;
    const hooks = () => {
      loaded ??= this.#reader.hooks({ ...this.#sources(folders), own: readSettings().hooks }, context).hooks;
      return loaded;
    };
    return { has: (event) => hooks().has(event), fire: (...args) => hooks().fire(...args) };
  }

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

  #sources(folders = openFolders()): ConfigPlaces {
    const trusted = vscode.workspace.isTrusted;
    return { folders, home: os.homedir(), trusted, boundary: this.#boundary() };
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refresh(), refreshDelayMs);
  }

  #refresh(): void {
    this.#agents = undefined;
    this.#changed.fire();
  }
}

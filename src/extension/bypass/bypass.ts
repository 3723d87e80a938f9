/** The modes of a session. Bypass ends by itself, and the sandbox is offered to who chooses it. */

import path from "node:path";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import type { PermissionMode } from "../../chat/permission-mode.ts";
import { t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import { presentMode } from "../../loop/setup/agent-config.ts";
import { systemProblem } from "../../tools/sandbox/sandbox.ts";
import type { Feature } from "../feature.ts";
import { openFolders } from "../host/documents.ts";
import type { PanelContext } from "../panel/handlers.ts";
import { SharedFolder } from "../review/shared-folder.ts";
import type { WindowServices } from "../services.ts";
import { SessionChoices } from "../sessions/choices.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";

export class Bypass implements Feature {
  readonly #page: PanelContext;
  readonly #ends: BypassEnds;
  readonly #offer: SandboxOffer;

  readonly observer = {
    switched: () => this.#ends.check(),
    tabsChanged: () => this.#ends.tabsChanged(this.#page.conversations.tabs),
  };

  constructor({ context, storage }: EditorWindow, { page }: WindowServices) {
    this.#page = page;
    const { conversations, memory, stateChanged } = page;
    this.#offer = new SandboxOffer(context.globalState);
    this.#ends = new BypassEnds({
      ...{ choices: new SessionChoices(memory), storage: storage.fsPath },
      ...{ sessions: () => conversations.sessions, stateChanged },
    });
  }

  /** To be called when the user has chosen a mode. */
  chosen(sessionID: string, mode: PermissionMode): void {
    if (mode !== "bypassPermissions") {
      this.#ends.check();
      return;
    }
    this.#ends.begun(sessionID);
    void this.#offer.show();
  }

  /** Resolves when the user's answer to the offer, if there is one, holds for commands. */
  get saved(): Thenable<void> {
    return this.#offer.saved;
  }

  state() {
    const { buildMode, choices } = this.#page.conversations.current;
    const { sandbox, window } = readSettings();
    return {
      mode: presentMode(choices),
      modeEndsAt: choices.modeEnd?.at,
      buildMode,
      bypassMinutes: window["permission.bypassMinutes"],
      sandboxed: sandbox !== "off",
    };
  }

  dispose(): void {
    this.#ends.dispose();
  }
}

// Offers the sandbox to a user who chooses the mode Bypass.

const offered = "rondo.sandboxOffered";

class SandboxOffer {
  readonly #memory: vscode.Memento;
  #saved: Thenable<void> = Promise.resolve();

  /** `memory`: for all workspaces. */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Resolves when the user's answer, if there is one, holds for commands. */
  get saved(): Thenable<void> {
    return this.#saved;
  }

  /** Once, and only where the sandbox can be had. */
  async show(): Promise<void> {
    if (readSettings().sandbox !== "off" || this.#memory.get(offered, false)) return;
    if ((await systemProblem(openFolders(), "workspace")) !== undefined) return;
    await this.#memory.update(offered, true);
    const without = t("Without Network");
    const names = [without, t("With Network")];
    const message = t(
      "In Bypass, commands run without asking. In a sandbox they can write only in the workspace. Turn the sandbox on?",
    );
    const chosen = await vscode.window.showInformationMessage(message, ...names);
    if (chosen === undefined) return;
    const settings = vscode.workspace.getConfiguration("rondo");
    this.#saved = settings
      .update("sandbox", chosen === without ? "workspace" : "workspace-network", vscode.ConfigurationTarget.Global)
      .then(undefined, notSaved);
    await this.#saved;
  }
}

function notSaved(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(t("The sandbox is not on, because the setting could not be saved: {0}", why));
}

// Leaves the mode Bypass in the sessions of a window when its time is over, the session is closed, or another window
// has ended it there: each keeps its own copy of what was chosen in a session.

/** Maximum time between two looks at the clock: timers stand still while the computer sleeps. */
const maxWaitMs = 30_000;

/** A Bypass that was ended before its time. `at`: the end that it had, in ms since 1970. */
const Ended = z.object({ at: z.number() });

interface BypassEndsOptions {
  choices: SessionChoices;
  /** The extension's folder for this workspace. */
  storage: string;
  sessions(): readonly Session[];
  stateChanged(): void;
}

class BypassEnds implements vscode.Disposable {
  readonly #options: BypassEndsOptions;
  readonly #folder: SharedFolder;
  #timer: NodeJS.Timeout | undefined;
  /** The sessions with a tab. */
  #ids: readonly string[] = [];
  /** By session ID: the end of the Bypass that is on in this window. */
  readonly #on = new Map<string, number>();
  /** By session ID: the end of the last Bypass that any window has ended before its time. */
  readonly #ended = new Map<string, number>();

  constructor(options: BypassEndsOptions) {
    this.#options = options;
    this.#folder = new SharedFolder(path.join(options.storage, "bypass-ends"));
    this.#folder.watch((names) => {
      this.#read(names);
      this.check();
    });
    this.#read(this.#folder.names());
    for (const [id, at] of this.#ended) if (at <= Date.now()) this.#folder.remove(fileOf(id));
  }

  /** To be called when a session was opened or its mode has changed. */
  check(): void {
    clearTimeout(this.#timer);
    const left: number[] = [];
    for (const session of this.#options.sessions()) {
      const { id } = session.chat.session;
      const { modeEnd } = session.choices;
      if (!modeEnd) this.#left(id);
      else {
        this.#on.set(id, modeEnd.at);
        const leftMs = this.#isEnded(id, modeEnd.at) ? 0 : modeEnd.at - Date.now();
        if (leftMs > 0) left.push(leftMs);
        else this.#end(id);
      }
    }
    if (left.length > 0) this.#timer = setTimeout(() => this.check(), Math.min(...left, maxWaitMs));
  }

  /** To be called when the user has turned Bypass on: what was ended before is another one. */
  begun(sessionID: string): void {
    this.#ended.delete(sessionID);
    this.#folder.remove(fileOf(sessionID));
    this.check();
  }

  /** Ends it in sessions that have lost their tab: they are closed, and opening them again is a new decision. */
  tabsChanged(tabs: readonly { id: string }[]): void {
    const before = this.#ids;
    this.#ids = tabs.map(({ id }) => id);
    for (const id of before) if (!this.#ids.includes(id)) this.#end(id);
  }

  #end(sessionID: string): void {
    const { choices, sessions, stateChanged } = this.#options;
    const open = sessions().find(({ chat }) => chat.session.id === sessionID);
    const { mode, modeEnd } = open?.choices ?? choices.of(sessionID);
    if (mode !== "bypassPermissions") return;
    const next = modeEnd?.next ?? "default";
    choices.keepMode(sessionID, { mode: next, modeEnd: undefined });
    open?.setMode(next);
    this.#left(sessionID);
    stateChanged();
  }

  /** Tells the other windows that a Bypass of this one was left before its time. */
  #left(sessionID: string): void {
    const at = this.#on.get(sessionID);
    if (at === undefined) return;
    this.#on.delete(sessionID);
    if (at <= Date.now() || this.#isEnded(sessionID, at)) return;
    this.#ended.set(sessionID, at);
    // Without the file it ends there with its time.
    attempt(() => this.#folder.write(fileOf(sessionID), { at }), undefined);
  }

  /** A window that opens the session later may give its Bypass less time, never more. */
  #isEnded(sessionID: string, at: number): boolean {
    return at <= (this.#ended.get(sessionID) ?? 0);
  }

  #read(names: readonly string[]): void {
    for (const name of names) {
      const id = path.basename(name, ".json");
      const found = this.#folder.changed(name);
      if (found.type === "missing") this.#ended.delete(id);
      const ended = found.type === "fresh" ? Ended.safeParse(found.json).data : undefined;
      if (ended) this.#ended.set(id, ended.at);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#folder.dispose();
  }
}

const fileOf = (sessionID: string): string => `${sessionID}.json`;

/** The modes of a session. Bypass ends by itself, and the sandbox is offered to who chooses it. */
import type { PermissionMode } from "../../chat/permission-mode.ts";
import { presentMode } from "../../loop/setup/agent-config.ts";
import type { Feature } from "../feature.ts";
import type { PanelContext } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import { SessionChoices } from "../sessions/choices.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { BypassEnds } from "./bypass-ends.ts";
import { SandboxOffer } from "./sandbox-offer.ts";

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

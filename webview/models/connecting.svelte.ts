/** What the forms for connecting a model show. Keys are in their fields alone, never here. */
import type { ConnectView } from "../../src/chat/connect.ts";
import { send } from "../panel/vscode-api.ts";

const nothing: ConnectView = { provider: undefined, masked: "", check: { type: "none" } };

class Connecting {
  view = $state.raw(nothing);
  /** The open form: "key", "server", or the ID of a server that was found; empty for none. */
  open = $state("");
  /** The model that was just connected; empty if none was. */
  connected = $state("");
  /** Whether the user has sent a task that waits for a model. */
  isAsked = $state(false);

  /** To be called when a form is gone: the host forgets what it has sent. */
  forget(): void {
    this.view = nothing;
    send({ type: "close-form" });
  }

  ask(): void {
    this.isAsked = true;
    this.connected = "";
  }

  end(label: string): void {
    this.open = "";
    this.isAsked = false;
    this.connected = label;
  }
}

export const connecting = new Connecting();

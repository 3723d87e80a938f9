/** What tells outside of the panel that Rondo waits, works or is done. */
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import { watchSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { Attention } from "./attention.ts";

export function outside({ own, panel }: EditorWindow, { page: { conversations } }: WindowServices) {
  const attention = own(
    new Attention({
      panel,
      sessions: () => conversations.sessions,
      currentID: () => conversations.current.chat.session.id,
      async show(id) {
        await panel.reveal();
        conversations.show(id);
      },
    }),
  );
  own(panel.onDidChangeSeen(() => attention.update()));
  own(watchSettings(() => attention.update()));
  return {
    commands: { "rondo.showWaiting": () => attention.show() },
    observer: { event: (session, event) => attention.event(session, event), switched: () => attention.update() },
  } satisfies Feature;
}

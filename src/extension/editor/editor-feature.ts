/** What the editor holds, brought into the chat: by "@", and by commands. */
import type { Composer } from "../composer/composer.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import type { EditorWindow } from "../window.ts";
import { contextCommands } from "./context-commands.ts";
import { EditorContexts } from "./editor-contexts.ts";
import { TerminalCommands } from "./terminal-commands.ts";

export function editorFeature({ debugOutput, own, panel }: EditorWindow, services: WindowServices, composer: Composer) {
  const { files, page } = services;
  const terminals = own(new TerminalCommands());
  const contexts = new EditorContexts({ page, composer, files, terminals, debugOutput });
  return {
    handlers: contexts.handlers,
    commands: contextCommands(panel, services, composer, contexts),
  } satisfies Feature;
}

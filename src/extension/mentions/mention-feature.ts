/** "@": finds what can be mentioned, and attaches it. */
import { ServerResources } from "../../mcp/resources/server-resources.ts";
import type { Composer } from "../composer/composer.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import type { EditorWindow } from "../window.ts";
import { AttachMention } from "./attach-mention.ts";
import { FileIndex } from "./file-index.ts";
import { Mentions } from "./mention-page.ts";

interface MentionFeature extends Feature {
  readonly index: FileIndex;
  readonly attach: AttachMention;
}

export function mentionFeature({ own, panel }: EditorWindow, services: WindowServices, composer: Composer) {
  const { files, foldersOf, host, mcp, page } = services;
  const { conversations, send } = page;
  const index = new FileIndex({ search: host.search, folders: () => foldersOf(conversations.current.chat) });
  const resources = new ServerResources(mcp.servers);
  const tell = (message: string) => send({ type: "notice", message, next: "", fix: "none" });
  const attach = new AttachMention({ files, composer, conversations, index, resources, tell });
  const mentions = new Mentions({ page, index, attach, servers: mcp.servers, resources });
  own(panel.onDidFocus(() => mentions.warmUp()));
  return { handlers: mentions.handlers, index, attach } satisfies MentionFeature;
}

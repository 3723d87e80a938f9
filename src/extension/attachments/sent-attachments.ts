/** Attachments of sent messages that are in the message itself, such as what an MCP server said: shown read-only. */
import * as vscode from "vscode";
import { type Chat, findPart } from "../../chat/apply.ts";
import type { FilePart } from "../../chat/message.ts";
import { t } from "../../l10n/l10n.ts";
import { NoticeError } from "../notice-error.ts";

const scheme = "rondo-attached";

/** Opens an attachment of the chat. `openCopy` opens one that is no text. */
export async function openSent(
  chat: Chat,
  { messageID, partID }: { messageID: string; partID: string },
  openCopy: (part: FilePart) => Promise<void>,
): Promise<void> {
  const part = findPart(chat, messageID, partID);
  if (part?.type !== "file") throw new NoticeError(t("This attachment is no longer part of its session."));
  if (textIn(part) === undefined) {
    await openCopy(part);
    return;
  }
  // A name for the tab only. It may come from a server.
  const name = part.filename.replace(/[^\p{L}\p{N} ._-]+/gu, "_").slice(0, 80);
  const query = [chat.session.id, messageID, partID].join(" ");
  const uri = vscode.Uri.from({ scheme, path: `/${name}.txt`, query });
  await vscode.window.showTextDocument(uri, { preview: true });
}

/** Returns the text of an attachment's document. @throws RecordError if there is no such session */
export function sentText({ query }: vscode.Uri, chatOf: (sessionID: string) => Chat): string {
  const [sessionID = "", messageID = "", partID = ""] = query.split(" ");
  const part = findPart(chatOf(sessionID), messageID, partID);
  const text = part?.type === "file" ? textIn(part) : undefined;
  return text ?? `${t("This attachment is no longer part of its session.")}\n`;
}

function textIn({ url, mime }: FilePart): string | undefined {
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
  return data === undefined || !mime.startsWith("text/") ? undefined : Buffer.from(data, "base64").toString("utf8");
}

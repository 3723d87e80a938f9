/** Attaches what is pasted or dropped, and opens what is attached. */
import * as vscode from "vscode";
import { type Chat, findPart } from "../../chat/apply.ts";
import type { FilePart } from "../../chat/message.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { base64In, textFile } from "../../chat/text-file.ts";
import { t } from "../../l10n/l10n.ts";
import { mediaType } from "../../tools/text/codec.ts";
import { openInEditor } from "../answers/open.ts";
import type { Composer } from "../composer/composer.ts";
import type { Feature } from "../feature.ts";
import type { AttachMention } from "../mentions/attach-mention.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import type { EditorWindow } from "../window.ts";
import { RefusedFileError } from "./attachments.ts";

/** `mention` attaches the names of a folder's files. */
export function attaching(
  { storage }: EditorWindow,
  { page: { conversations } }: WindowServices,
  composer: Pick<Composer, "attach" | "attachFiles" | "attachments">,
  mention: Pick<AttachMention, "attach">,
) {
  /** For copies that are shown. */
  const copies = vscode.Uri.joinPath(storage, "shown");
  const handlers = {
    "attach-data": ({ name, mime, data }) => {
      const bytes = Buffer.from(data, "base64");
      // A provider refuses the whole request for an image that is none.
      if (mediaType(bytes) !== mime) throw new RefusedFileError(name, t("its content is damaged"), "");
      composer.attach([{ mime, filename: name, url: `data:${mime};base64,${bytes.toString("base64")}` }]);
    },
    "attach-text": ({ name, text }) => composer.attach([textFile(name, text)]),
    "attach-uris": async ({ uris }) => {
      const all = uris.map((uri) => vscode.Uri.parse(uri));
      const folders = await Promise.all(all.map(isFolder));
      await composer.attachFiles(all.filter((_, at) => !folders[at]));
      for (const folder of all.filter((_, at) => folders[at]))
        await mention.attach({ kind: "folder", uri: folder.toString() });
    },
    "open-attachment": async ({ index }) => {
      const attachment = composer.attachments[index];
      if (attachment) await open(attachment, copies);
    },
    "open-sent": async (sent) => await openSent(conversations.current.chat, sent, (part) => open(part, copies)),
  } satisfies Partial<Handlers>;
  const chatOf = (id: string) => conversations.chat(id);
  return { handlers, documents: { "rondo-attached": (uri) => sentText(uri, chatOf) } } satisfies Feature;
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  const stat = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
  return ((stat?.type ?? 0) & vscode.FileType.Directory) !== 0;
}

async function open({ url, mime, filename, source }: Attachment, copies: vscode.Uri): Promise<void> {
  const data = base64In(url);
  if (data === undefined) {
    const uri = vscode.Uri.parse(url);
    if (uri.scheme === "file") {
      await openInEditor(uri.fsPath, source?.whole ? {} : { line: source?.start, lastLine: source?.end });
    } else await vscode.window.showTextDocument(uri, { preview: true });
    return;
  }
  // A copy, because VS Code shows images only from files. The last one that was shown is replaced.
  const ending = mime === "text/plain" ? "txt" : mime.slice(mime.indexOf("/") + 1);
  const name = plainName(filename);
  const copy = vscode.Uri.joinPath(copies, name.endsWith(`.${ending}`) ? name : `${name}.${ending}`);
  await Promise.resolve(vscode.workspace.fs.delete(copies, { recursive: true })).catch(() => undefined);
  await vscode.workspace.fs.writeFile(copy, Buffer.from(data, "base64"));
  await vscode.commands.executeCommand("vscode.open", copy, { preview: true });
}

/** Returns what of a name may stand in a path. */
const plainName = (filename: string) => filename.replace(/[^\p{L}\p{N} ._-]+/gu, "_").slice(0, 80);

// Attachments of sent messages that are in the message itself, such as what an MCP server said: shown read-only.

const scheme = "rondo-attached";

/** Opens an attachment of the chat. `openCopy` opens one that is no text. */
async function openSent(
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
  const name = plainName(part.filename);
  const query = [chat.session.id, messageID, partID].join(" ");
  const uri = vscode.Uri.from({ scheme, path: `/${name}.txt`, query });
  await vscode.window.showTextDocument(uri, { preview: true });
}

/** Returns the text of an attachment's document. @throws RecordError if there is no such session */
function sentText({ query }: vscode.Uri, chatOf: (sessionID: string) => Chat): string {
  const [sessionID = "", messageID = "", partID = ""] = query.split(" ");
  const part = findPart(chatOf(sessionID), messageID, partID);
  const text = part?.type === "file" ? textIn(part) : undefined;
  return text ?? `${t("This attachment is no longer part of its session.")}\n`;
}

function textIn({ url, mime }: FilePart): string | undefined {
  const data = base64In(url);
  return data === undefined || !mime.startsWith("text/") ? undefined : Buffer.from(data, "base64").toString("utf8");
}

/** Attaches what is pasted or dropped, and opens what is attached. */

import * as vscode from "vscode";
import type { Attachment } from "../../chat/prompt-input.ts";
import { textFile } from "../../chat/text-file.ts";
import { t } from "../../l10n/l10n.ts";
import { mediaType } from "../../tools/text/codec.ts";
import { openInEditor } from "../answers/open.ts";
import type { Composer } from "../composer/composer.ts";
import type { Feature } from "../feature.ts";
import type { AttachMention } from "../mentions/attach-mention.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import type { EditorWindow } from "../window.ts";
import { RefusedFileError } from "./attachments.ts";
import { openSent, sentText } from "./sent-attachments.ts";

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
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (data === undefined) {
    const uri = vscode.Uri.parse(url);
    if (uri.scheme === "file") {
      await openInEditor(uri.fsPath, source?.whole ? {} : { line: source?.start, lastLine: source?.end });
    } else await vscode.window.showTextDocument(uri, { preview: true });
    return;
  }
  // A copy, because VS Code shows images only from files. The last one that was shown is replaced.
  const ending = mime === "text/plain" ? "txt" : mime.slice(mime.indexOf("/") + 1);
  const name = filename.replace(/[^\p{L}\p{N} ._-]+/gu, "_").slice(0, 80);
  const copy = vscode.Uri.joinPath(copies, name.endsWith(`.${ending}`) ? name : `${name}.${ending}`);
  await Promise.resolve(vscode.workspace.fs.delete(copies, { recursive: true })).catch(() => undefined);
  await vscode.workspace.fs.writeFile(copy, Buffer.from(data, "base64"));
  await vscode.commands.executeCommand("vscode.open", copy, { preview: true });
}

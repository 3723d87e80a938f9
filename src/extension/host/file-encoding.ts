/**
 * Tells in which encoding a file can be written again to the byte. A text that stands for other bytes than those on disk
 * must never be written over them: VS Code shows U+FFFD for each byte that is not text, and saves it in its place.
 */
import * as vscode from "vscode";
import { decode, type Encoding } from "../../tools/text/codec.ts";
import { openDocument } from "./documents.ts";

export interface ExactText {
  text: string;
  /** VS Code's name of the encoding in which the text has exactly these bytes; undefined: there is none. */
  encoding: string | undefined;
}

const names: Record<Encoding, string> = {
  ...{ utf8: "utf8", "utf8-bom": "utf8bom" },
  ...{ utf16le: "utf16le", utf16be: "utf16be" },
};

/** Decodes as VS Code does with an encoding, of which a byte order mark makes another one. */
export async function decodeExactly(bytes: Uint8Array, encoding: string): Promise<ExactText> {
  const known = decode(Buffer.from(bytes));
  // VS Code decodes in another process: that takes long for large files, and for many. Its document may still have the
  // encoding of a byte order mark that is gone by now.
  if (known && (known.encoding !== "utf8" || encoding.startsWith("utf"))) {
    return { text: known.text, encoding: names[known.encoding] };
  }
  const text = await vscode.workspace.decode(bytes, { encoding });
  if (encoding.startsWith("utf8")) return { text, encoding: undefined };
  const isExact = Buffer.from(await vscode.workspace.encode(text, { encoding })).equals(bytes);
  return { text, encoding: isExact ? encoding : undefined };
}

/** Whether the file of a document has exactly the bytes of a text in the document's encoding, or does not exist. */
export async function isExact({ uri, encoding }: vscode.TextDocument): Promise<boolean> {
  const bytes = await readBytes(uri);
  return !bytes || (await decodeExactly(bytes, encoding)).encoding !== undefined;
}

/** Returns undefined if there is no file. */
export async function readBytes(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw error;
  }
}

/** Whether the text can be written in the encoding: VS Code saves other characters in place of those that it lacks. */
export async function canEncode(text: string, encoding: string): Promise<boolean> {
  if (encoding.startsWith("utf16")) return true;
  if (encoding.startsWith("utf8")) return text.isWellFormed();
  return (await vscode.workspace.decode(await vscode.workspace.encode(text, { encoding }), { encoding })) === text;
}

/** Whether VS Code reads the file as UTF-8, unless a byte order mark or its document says otherwise. */
export function isUtf8(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration("files", uri);
  // The encoding of a language counts for files of which only VS Code knows that they are in it.
  const hasOthers = files.inspect("encoding")?.languageIds !== undefined || files.get("autoGuessEncoding", false);
  return !hasOthers && files.get("encoding", "utf8").startsWith("utf8");
}

/** Returns the encoding in which VS Code reads the file: that of its document, else the one of the settings. */
export async function encodingOf(uri: vscode.Uri): Promise<string> {
  const key = uri.toString();
  const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === key && !one.isClosed);
  if (open) return open.encoding;
  if (isUtf8(uri)) return "utf8";
  const document = await openDocument(uri);
  return document?.encoding ?? vscode.workspace.getConfiguration("files", uri).get("encoding", "utf8");
}

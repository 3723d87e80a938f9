/** Makes attachments of selections and files. What a tool could not read without a question is not attached. */

import path from "node:path";
import * as vscode from "vscode";
import { realFolder } from "../../base/node/read-checked.ts";
import { maxReadBytes } from "../../chat/attach.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { formatted, localized, t } from "../../l10n/l10n.ts";
import type { FileKind, Location, Workspace } from "../../tools/host.ts";
import { type ReadBoundary, whyProtected } from "../../tools/node-host/config-files.ts";
import { versionOf } from "../../tools/node-host/workspace.ts";
import { countLines } from "../../tools/text/text.ts";
import { lastLineOf } from "../editor/last-line.ts";
import { toldName } from "../told-name.ts";

const maxMediaBytes = 5 << 20;

/** What browsers draw: the panel makes PNG or JPEG of those that models do not take. SVG is text. */
const imageEndings = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
  [".bmp", "image/bmp"],
  [".ico", "image/x-icon"],
  [".avif", "image/avif"],
]);

export interface PickedImage {
  name: string;
  mime: string;
  /** Base64. */
  data: string;
}

export class AttachError extends Error {
  override readonly name = "AttachError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** About a file that was chosen by its name. */
export class RefusedFileError extends AttachError {
  readonly why: string;
  readonly file: string;

  constructor(file: string, why: string, next: string) {
    super(t("{0} is not attached: {1}.", file, why), next);
    this.file = file;
    this.why = why;
  }
}

export class Attachments {
  readonly #workspace: Workspace;
  readonly #boundary: () => Pick<ReadBoundary, "ruledOut">;

  constructor(workspace: Workspace, boundary: () => Pick<ReadBoundary, "ruledOut">) {
    this.#workspace = workspace;
    this.#boundary = boundary;
  }

  /** Attaches the selected lines with their text in the editor; the whole file if nothing is selected. */
  async fromSelection({ document, selection }: Pick<vscode.TextEditor, "document" | "selection">): Promise<Attachment> {
    const { uri } = document;
    const base = { mime: "text/plain", filename: toldName(uri), url: uri.toString() };
    const source = selection.isEmpty ? wholeText(document.getText()) : selectedText(document, selection);
    const version = versionOf(document.getText());
    const location = await this.#locate(uri);
    if (uri.scheme !== "file" || !location) return { ...base, source };
    const kind = await this.#workspace.open(location, new AbortController().signal);
    // The model has seen the file only if the document is as new as the disk.
    const isSame = kind.type === "text" && kind.file.version === version;
    return { ...base, source, ...(isSame && { seen: { [location.path]: version } }) };
  }

  /** @throws AttachError if it is protected, or neither text nor an image or PDF of acceptable size */
  async fromFile(uri: vscode.Uri): Promise<Attachment> {
    const filename = toldName(uri);
    const location = await this.#locate(uri);
    if (uri.scheme !== "file" || !location) {
      const document = await vscode.workspace.openTextDocument(uri);
      return { mime: "text/plain", filename, url: uri.toString(), source: wholeText(document.getText()) };
    }
    const kind = await this.#workspace.open(location, new AbortController().signal);
    return attachmentOf(kind, filename, uri);
  }

  /**
   * Returns a file that is attached as a whole with its present text; one that is gone, or is no text any more, as it was.
   * @throws AttachError if it has become protected
   */
  async asNow(attachment: Attachment): Promise<Attachment> {
    const { url, source } = attachment;
    if (!source?.whole || !url.startsWith("file:")) return attachment;
    const uri = vscode.Uri.parse(url);
    const now = this.fromFile(uri);
    try {
      return (await now).source ? await now : attachment;
    } catch (error) {
      if ((await this.whyNot(uri).catch(() => undefined)) === undefined) return attachment;
      throw error;
    }
  }

  /**
   * Returns the bytes of an image, which the panel scales to what models take; undefined for a file of another kind.
   * @throws AttachError if it is protected, or has more than 50 MB
   */
  async image(uri: vscode.Uri): Promise<PickedImage | undefined> {
    const mime = imageEndings.get(path.posix.extname(uri.path).toLowerCase());
    if (mime === undefined) return undefined;
    const name = vscode.workspace.asRelativePath(uri);
    await this.#locate(uri);
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxReadBytes) throw tooLarge(name, maxReadBytes);
    return { name, mime, data: Buffer.from(await vscode.workspace.fs.readFile(uri)).toString("base64") };
  }

  /** Returns why the file is not attached, as the end of a sentence; undefined if it can be. */
  async whyNot(uri: vscode.Uri): Promise<string | undefined> {
    return (await this.#judge(uri)).why;
  }

  /** @throws AttachError if the tool `read` would ask */
  async #locate(uri: vscode.Uri): Promise<Location | undefined> {
    const { location, why } = await this.#judge(uri);
    if (why === undefined) return location;
    const name = vscode.workspace.asRelativePath(uri);
    throw new RefusedFileError(name, localized(why), t("Ask Rondo to read it: you are asked before it does."));
  }

  async #judge(shown: vscode.Uri): Promise<{ location: Location | undefined; why: string | undefined }> {
    const uri = fileShownBy(shown);
    if (!uri) return { location: undefined, why: undefined };
    const location = await this.#workspace.locate(uri.fsPath);
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
    const asked = folder === undefined ? uri.fsPath : path.join(realFolder(folder), path.relative(folder, uri.fsPath));
    const isLink = asked !== location.path;
    const leadsOut = isLink && folder !== undefined && !location.inside;
    const why =
      whyProtected(location, isLink, this.#boundary().ruledOut) ??
      (leadsOut ? t("it is a link to {0}, outside the workspace", location.path) : undefined);
    return { location, why };
  }
}

/** Returns the file of a document that is no file itself: of a notebook's cell, a version in git, or a new file. */
function fileShownBy(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme === "file") return uri;
  return uri.path.startsWith("/") ? vscode.Uri.file(uri.path) : undefined;
}

function attachmentOf(kind: FileKind, filename: string, uri: vscode.Uri): Attachment {
  const text = { mime: "text/plain", filename, url: uri.toString() };
  switch (kind.type) {
    case "text": {
      const { path: file, version } = kind.file;
      return { ...text, source: wholeText(kind.file.text), seen: { [file]: version } };
    }
    case "unknown-encoding":
      return { ...text, source: wholeText(kind.text) };
    case "media":
      if (kind.bytes.length > maxMediaBytes) throw tooLarge(filename, maxMediaBytes);
      return {
        mime: kind.mime,
        filename,
        url: `data:${kind.mime};base64,${Buffer.from(kind.bytes).toString("base64")}`,
      };
    case "too-large":
      throw tooLarge(filename, kind.limit);
    default:
      throw new RefusedFileError(filename, t("it is neither text nor an image"), "");
  }
}

function tooLarge(filename: string, limit: number): RefusedFileError {
  const why = t("it is larger than {0} MB", formatted(Math.floor(limit / 1_000_000)));
  return new RefusedFileError(filename, why, t("Name it in the message: Rondo can search it and read parts."));
}

/** Whole lines; one of which nothing is selected does not count. */
function selectedText(document: vscode.TextDocument, selection: vscode.Selection): Attachment["source"] {
  const { start } = selection;
  const last = lastLineOf(selection);
  const range = new vscode.Range(start.line, 0, last, document.lineAt(last).text.length);
  return { start: start.line + 1, end: last + 1, text: document.getText(range) };
}

function wholeText(text: string): Attachment["source"] {
  return { start: 1, end: Math.max(1, countLines(text)), text, whole: true };
}

/** Brings under review what the agent has changed without the editor: by commands, MCP tools, moves and deletions. */

import { realpathSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import { TimeSlices } from "../../checkpoints/files/time-slices.ts";
import type { ChangeReviewer } from "../../checkpoints/session-checkpoints.ts";
import type { StepContent, StepFiles } from "../../checkpoints/steps/step-files.ts";
import { t } from "../../l10n/l10n.ts";
import { noEncoding } from "../../review/file-review.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { decode, decodeLossily } from "../../tools/text/codec.ts";
import { decodeExactly, encodingOf } from "../host/file-encoding.ts";
import type { AgentChange } from "./agent-changes.ts";
import { isFromDisk } from "./file-text.ts";
import { reviewText } from "./notebook-text.ts";
import type { Review } from "./review.ts";

/** What happened to a document while commands of the agent ran. */
interface SeenDocument {
  /** Its text before the next change on disk. */
  text: string;
  /** Whether it was changed in the editor, so that a difference on disk may be the user's. */
  isEdited: boolean;
}

/** Minimum time between two looks at all files while a command runs in the background. */
const backgroundLookMs = 1000;

interface StepChangesOptions {
  review: Review;
  /** Called with a sentence for the user. */
  tell(sentence: string): void;
}

export class StepChanges implements ChangeReviewer, vscode.Disposable {
  readonly #review: Review;
  readonly #tell: (sentence: string) => void;
  readonly #own: vscode.Disposable[];
  /** By URI, while commands run. */
  readonly #seen = new Map<string, SeenDocument>();
  /** Numbers of commands that run: all, and those of steps. */
  #commands = 0;
  #inSteps = 0;

  constructor({ review, tell }: StepChangesOptions) {
    this.#review = review;
    this.#tell = tell;
    this.#own = [
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidOpenTextDocument((document) => this.#see(document)),
    ];
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  commandBegins(): () => void {
    this.#inSteps++;
    const ends = [this.#seeDocuments(), this.#review.holdDisk()];
    return once(() => {
      this.#inSteps--;
      for (const end of ends) end();
    });
  }

  /** Looks when VS Code sees that files have changed. */
  backgroundBegins(look: () => void): () => void {
    const watcher = vscode.workspace.createFileSystemWatcher("**/*");
    let timer: NodeJS.Timeout | undefined;
    const lookSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look();
      }, backgroundLookMs);
    };
    watcher.onDidChange(lookSoon);
    watcher.onDidCreate(lookSoon);
    watcher.onDidDelete(lookSoon);
    const seen = this.#seeDocuments();
    return once(() => {
      clearTimeout(timer);
      watcher.dispose();
      seen();
    });
  }

  /** Follows the open documents until the result is called, as commands run. */
  #seeDocuments(): () => void {
    if (this.#commands++ === 0) for (const document of vscode.workspace.textDocuments) this.#see(document);
    return once(() => {
      if (--this.#commands === 0) this.#seen.clear();
    });
  }

  /** Takes what the checkpoints have found. */
  async take({ source, files, folders: madeFolders, left }: StepFiles): Promise<void> {
    const folders = workspaceFolders();
    const made = madeFolders.map((folder) => uriIn(folders, folder).toString());
    const slices = new TimeSlices();
    for (const file of files) {
      await slices.yieldIfDue();
      const uri = uriIn(folders, file.path);
      const name = await encodingOf(uri);
      const [before, after] = await Promise.all([textOf(uri, file.before, name), textOf(uri, file.after, name)]);
      if (before.type === "none" || after.type === "none") continue;
      const encoding = commonEncoding(before, after);
      this.#review.hadEncoding(uri, encoding);
      const movedFrom = file.movedFrom === undefined ? undefined : uriIn(folders, file.movedFrom);
      const change = { uri, before: before.text, after: after.text, encoding, movedFrom, folders: made };
      if (movedFrom) this.#review.agentChanged(change);
      else if (file.isNamed) this.#takeNamed(change);
      else this.#takeFound(change, source);
    }
    // At once, so that a kill loses nothing that the user has seen in the list.
    await this.#review.flush();
    if (left === 0) return;
    const [all, some] = [files.length + left, left].map((count) => count.toLocaleString("en"));
    this.#tell(
      t(
        "Rondo changed {0} files in one step. {1} of them are not in the review: restore the checkpoint to take them back.",
        all ?? "",
        some ?? "",
      ),
    );
  }

  #see(document: vscode.TextDocument): void {
    const { uri } = document;
    if (this.#commands === 0 || uri.scheme !== "file" || this.#seen.has(uri.toString())) return;
    this.#seen.set(uri.toString(), { text: document.getText(), isEdited: document.isDirty });
  }

  #documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { uri } = document;
    const seen = this.#seen.get(uri.toString());
    if (!seen || contentChanges.length === 0) return;
    const text = document.getText();
    if (!isFromDisk(document)) this.#seen.set(uri.toString(), { text, isEdited: true });
    // In a step, what comes from the disk is the agent's. The review knows the files that it follows.
    else if (this.#inSteps > 0 && !this.#review.follows(uri))
      this.#review.agentChanged({
        ...{ uri, before: seen.text, after: text, movedFrom: undefined, folders: [] },
        // The end of the step tells it, with the bytes.
        encoding: undefined,
      });
  }

  /** Takes a file that a tool has written through the editor, as the review knows, and a command afterwards. */
  #takeNamed(change: AgentChange): void {
    const { uri, after } = change;
    const before = this.#review.text(uri);
    if (before === undefined || this.#review.knows(uri, after)) return;
    if (after === undefined || !openDocument(uri)) this.#review.agentChanged({ ...change, before });
  }

  #takeFound(change: AgentChange, source: StepFiles["source"]): void {
    const { uri, after } = change;
    const seen = this.#seen.get(uri.toString());
    const isKnown = this.#review.knows(uri, after);
    // A step's changes on disk came to the review as the agent's, but those of the background as the user's.
    if (isKnown && (source === "step" || seen?.isEdited)) return;
    if (openDocument(uri)?.isDirty) {
      // The editor has another text than the disk. If the user drops it, the agent's is there.
      this.#review.expect(change);
    } else if (!seen?.isEdited || this.#review.follows(uri)) {
      this.#review.agentChanged(change);
    } else if (after !== seen.text) {
      // What the user has saved meanwhile is not the agent's.
      this.#review.agentChanged({ ...change, before: seen.text });
    }
    if (after !== undefined && seen && !openDocument(uri)?.isDirty) {
      this.#seen.set(uri.toString(), { text: after, isEdited: false });
    }
  }
}

const openDocument = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());

function once(end: () => void): () => void {
  let isEnded = false;
  return () => {
    if (!isEnded) end();
    isEnded = true;
  };
}

interface StepText {
  type: "text";
  /** Both undefined: there is no file. */
  text: string | undefined;
  encoding: string | undefined;
}

/** Returns the text as VS Code reads it; none for binary files, and where the content is not known. */
async function textOf(uri: vscode.Uri, content: StepContent, name: string): Promise<StepText | { type: "none" }> {
  if (content.type === "missing") return { type: "text", text: undefined, encoding: undefined };
  if (content.type === "other") return { type: "none" };
  const bytes = Buffer.from(content.bytes);
  if (!decode(bytes) && decodeLossily(bytes) === undefined) return { type: "none" };
  const { text, encoding = noEncoding } = await decodeExactly(bytes, name);
  return { type: "text", text: reviewText(uri, text), encoding };
}

/** Returns the encoding of both; undefined if there is no file. */
function commonEncoding({ encoding: before }: StepText, { encoding: after }: StepText): string | undefined {
  if (before === undefined || after === undefined) return before ?? after;
  return before === after ? before : noEncoding;
}

interface WorkspaceFolder {
  uri: vscode.Uri;
  /** Its path with links resolved, as the checkpoints name files. */
  real: string;
}

const workspaceFolders = (): WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ uri }) => ({ uri, real: attempt(() => realpathSync(uri.fsPath), uri.fsPath) }));

/** Returns the URI by which the user would open a file, also if a folder was opened through a link. */
function uriIn(folders: readonly WorkspaceFolder[], file: string): vscode.Uri {
  const folder = folders.find(({ real }) => isWithin(file, real));
  return folder ? vscode.Uri.joinPath(folder.uri, path.relative(folder.real, file)) : vscode.Uri.file(file);
}

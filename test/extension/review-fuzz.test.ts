/** Random programs of everyone who writes a file under review, in a real VS Code (spec V21, V22, V4). */
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { type EditorHost, vscodeHost } from "../../src/extension/host/vscode-host.ts";
import type { Review } from "../../src/extension/review/review.ts";
import { RandomNumbers, randomly } from "../random.ts";
import { ReviewProgram } from "./review-program.ts";

const programs = 12;

describe("random programs on a file under review", () => {
  let formatter: vscode.Disposable;
  const global = vscode.ConfigurationTarget.Global;
  const settings = async (isOn: boolean | undefined) => {
    await vscode.workspace.getConfiguration("editor").update("formatOnSave", isOn, global);
    // VS Code's git extension would ask git about repositories that are gone by then, and fail.
    await vscode.workspace.getConfiguration("git").update("autoRepositoryDetection", isOn && false, global);
  };

  before(async () => {
    await settings(true);
    formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/*.rondofuzz" },
      {
        provideDocumentFormattingEdits: (document) =>
          [...Array(document.lineCount).keys()]
            .map((line) => document.lineAt(line))
            .filter(({ text }) => text !== "" && !text.endsWith(";"))
            .map(({ range }) => vscode.TextEdit.insert(range.end, ";")),
      },
    );
  });

  after(async () => {
    formatter.dispose();
    await settings(undefined);
  });

  const hostOf = (review: () => Review): EditorHost =>
    vscodeHost({
      watch: { begin: (uri, before, wanted) => review().begin(uri, before, wanted) },
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
      sandbox: () => "off" as const,
      secrets: () => [],
      state: [],
      markersFolder: path.join(os.tmpdir(), "rondo-markers"),
    });

  for (let at = 1; at <= programs; at++) {
    randomly(`V21 V22 lose no line of the user, program ${at}`, async (seed) => {
      const [open] = vscode.workspace.workspaceFolders ?? [];
      assert.ok(open);
      const folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "fuzz-")));
      const storage = await mkdtemp(path.join(os.tmpdir(), "rondo-fuzz-"));
      const program = new ReviewProgram(new RandomNumbers(seed, `program ${at}`), folder, storage, hostOf);
      try {
        await program.run();
      } catch (error) {
        const reason = error instanceof Error ? error.stack : String(error);
        throw new Error(`${reason}\nafter\n${program.log.join("\n")}`);
      } finally {
        await program.dispose();
        await vscode.commands.executeCommand("workbench.action.files.revert");
        await vscode.commands.executeCommand("workbench.action.closeAllEditors");
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
        await rm(storage, { recursive: true, force: true, maxRetries: 5 });
      }
    });
  }
});

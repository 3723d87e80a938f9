/** A random program of everyone who writes a file under review. Each line begins with a word of its own. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { editorCheckpoints } from "../../src/extension/checkpoints/editor-checkpoints.ts";
import { lineFeeds } from "../../src/extension/host/documents.ts";
import type { EditorHost } from "../../src/extension/host/vscode-host.ts";
import { Review } from "../../src/extension/review/review.ts";
import { StepChanges } from "../../src/extension/review/step-changes.ts";
import { type Changes, currentText, isMixed, rejectAll, unchanged } from "../../src/review/hunks.ts";
import { splitLines } from "../../src/review/line-diff.ts";
import { read } from "../../src/tools/built-in/read.ts";
import { write } from "../../src/tools/built-in/write.ts";
import { nobodyToAsk, noDelegate, type Tool } from "../../src/tools/tool.ts";
import type { RandomNumbers } from "../random.ts";

const actsOfRun = 10;
const { signal } = new AbortController();

const wordOf = (line: string): string => line.trim().split(/[ ;]/)[0] ?? "";
const wordsOf = (lines: readonly string[]): Set<string> => new Set(lines.map(wordOf).filter((word) => word !== ""));

/** What an act may do to lines of the user: remove some, or none. */
type Effect = "removes" | "keeps" | "accepts" | "rejects";

/** A repository with one file under review, and all that happens to it. */
export class ReviewProgram {
  readonly #folder: string;
  readonly #storage: vscode.Uri;
  readonly #host: EditorHost;
  readonly #random: RandomNumbers;
  readonly log: string[] = [];
  review: Review;
  #changes: StepChanges;
  #checkpoints: SessionCheckpoints;
  /** Words that the agent has written and nobody has accepted. */
  readonly #agents = new Set<string>();
  /** The words of each decision that can be taken back. */
  readonly #decided: Set<string>[] = [];
  /** The review of the text in the stash, while it is to come back as it was. */
  #stashed: { text: string; changes: Changes } | undefined;
  #hasStash = false;
  /** The text of the branch that was left, and its review while it is to come back as it was. */
  #left: { text: string; changes: Changes | undefined } | undefined;
  #next = 0;

  constructor(random: RandomNumbers, folder: string, storage: string, host: (review: () => Review) => EditorHost) {
    this.#folder = folder;
    this.#storage = vscode.Uri.file(storage);
    this.#random = random;
    [this.review, this.#changes, this.#checkpoints] = this.#begin();
    this.#host = host(() => this.review);
  }

  get #uri(): vscode.Uri {
    return vscode.Uri.file(path.join(this.#folder, "a.rondofuzz"));
  }

  #begin(): [Review, StepChanges, SessionCheckpoints] {
    const warn = (message: string) => assert.fail(message);
    const review = new Review(
      { storage: this.#storage, warn },
      { ask: async () => "keep", offerUndo: async () => undefined },
    );
    const changes = new StepChanges({ review, tell: warn });
    const options = { storage: this.#storage, sessionID: "ses_one", isApart: false, log: { warn }, review, changes };
    const checkpoints = editorCheckpoints({ ...options, folders: () => [this.#folder] });
    return [review, changes, checkpoints];
  }

  async end(): Promise<void> {
    await this.#checkpoints.close();
    this.#changes.dispose();
    await this.review.flush();
    this.review.dispose();
  }

  async dispose(): Promise<void> {
    await this.end();
    this.#host.dispose();
  }

  #git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    const all = ["-c", "user.name=a", "-c", "user.email=a@b", ...args];
    return execFileSync("git", all, { cwd: this.#folder, env, stdio: "pipe" }).toString();
  }

  #fresh = (owner: "u" | "a"): string => {
    const word = `${owner}${this.#next++}`;
    if (owner === "a") this.#agents.add(word);
    return `${word}\n`;
  };

  /** Returns the lines with some replaced by new ones. */
  #changed(lines: readonly string[], owner: "u" | "a"): string[] {
    const [from, cut] = [this.#random.below(lines.length + 1), this.#random.below(3)];
    const put = this.#random.below(3) + (cut === 0 ? 1 : 0);
    return lines.toSpliced(from, cut, ...Array.from({ length: put }, () => this.#fresh(owner)));
  }

  #document = async (): Promise<vscode.TextDocument> => vscode.workspace.openTextDocument(this.#uri);
  #disk = (): Promise<string> => readFile(this.#uri.fsPath, "utf8");

  async #shown(): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(await this.#document(), { preview: false });
  }

  async #until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 1500; tries++) {
      if (await holds()) return;
      await wait(10);
    }
    assert.fail(`never: ${what}`);
  }

  /** The document has taken over what is on disk, and the review knows it. */
  async #taken(): Promise<void> {
    const text = await this.#disk();
    await this.review.look([this.#uri]);
    const document = await this.#document();
    await this.#until("the document has the text on disk", () => lineFeeds(document.getText()) === lineFeeds(text));
  }

  async #tool(tool: Tool, input: Record<string, unknown>): Promise<void> {
    const host = this.#host.forSession(path.join(os.tmpdir(), "rondo-outputs"));
    const context = { host, callID: "call", seen: this.#seen, signal, delegate: noDelegate, askUser: nobodyToAsk };
    const plan = await tool.prepare(tool.input.parse(input), context);
    await plan.run(() => {});
  }
  readonly #seen = new Map<string, string>();

  async run(): Promise<void> {
    const lines = Array.from({ length: 3 + this.#random.below(8) }, () => this.#fresh("u"));
    await writeFile(this.#uri.fsPath, lines.join(""));
    this.#git("init", "-q");
    this.#git("add", ".");
    this.#git("commit", "-qm", "first");
    this.#git("checkout", "-qb", "other");
    await writeFile(this.#uri.fsPath, this.#changed(lines, "u").join(""));
    this.#git("commit", "-q", "--allow-empty", "-am", "other");
    this.#git("checkout", "-q", "-");
    await this.#act("agentWrites");
    for (let at = 0; at < actsOfRun; at++) {
      const names = Object.keys(acts);
      await this.#act(names[this.#random.below(names.length)] ?? "");
    }
    await this.#act("rejectAll");
    await this.#act("save");
    const left = wordsOf(splitLines(await this.#disk()));
    for (const word of this.#agents)
      assert.ok(!left.has(word) || this.#isMixed.has(word), `the agent's ${word} is left`);
  }
  /** Words of the agent in lines that the user has changed. They stay when all is rejected, as the user has said. */
  readonly #isMixed = new Set<string>();

  async #act(name: string): Promise<void> {
    const act = acts[name];
    assert.ok(act, name);
    const before = await this.#state();
    if (act.needsClean && (await this.#document()).isDirty) return;
    this.log.push(`${name} on ${JSON.stringify(before.text)}`);
    const decisions: string[] = [];
    const listener = this.review.onDidDecide(({ action }) => decisions.push(action));
    await act.run(this);
    listener.dispose();
    const after = await this.#state();
    if (after.text !== before.text) this.log.push(`  made it ${JSON.stringify(after.text)}`);
    this.log.push(`  base ${JSON.stringify(after.changes.base.join(""))}`);
    if (decisions.includes("accept") || decisions.includes("reject")) this.#decide(decisions, before, after);
    this.#check(act.effect, before, after);
  }

  async #state(): Promise<{ text: string; changes: Changes }> {
    const document = await this.#document();
    const text = document.getText();
    const changes = this.review.changes(this.#uri) ?? unchanged(text);
    assert.equal(currentText(changes), text, "accept-all is not the present text");
    return { text, changes };
  }

  #decide(decisions: readonly string[], before: { changes: Changes }, after: { changes: Changes }): void {
    const base = wordsOf(after.changes.base);
    const accepted = new Set([...this.#agents].filter((word) => base.has(word)));
    if (decisions.includes("accept")) for (const word of accepted) this.#agents.delete(word);
    else for (const word of accepted) this.#isMixed.add(word);
    this.#decided.push(accepted);
    assert.ok(before.changes.hunks.length > after.changes.hunks.length, "nothing was decided");
  }

  #check(effect: Effect, before: { changes: Changes }, after: { changes: Changes }): void {
    const { base, text, marks, pieces } = after.changes;
    for (const { start, count } of pieces) {
      for (let line = start; line < start + count; line++) {
        const word = wordOf(text[line] ?? "");
        if (isMixed(marks[line])) this.#isMixed.add(word);
        else assert.ok(word === "" || this.#agents.has(word), `a reject would take ${word}, which is not the agent's`);
      }
    }
    const left = wordsOf(base);
    const gone = wordsOf(text);
    for (const word of this.#agents) {
      if (!left.has(word) || this.#isMixed.has(word)) continue;
      // The user has put it back, or another program.
      assert.equal(effect, "removes", `a reject would leave the agent's ${word}`);
      this.#agents.delete(word);
    }
    if (effect === "removes") return;
    const isStood = (word: string) => this.#standsFor(before.changes, word);
    const mine = new Set([
      ...wordsOf(before.changes.text),
      ...(effect === "accepts" ? [] : wordsOf(before.changes.base)),
    ]);
    for (const word of mine) {
      if (this.#agents.has(word) || left.has(word) || gone.has(word)) continue;
      assert.ok(effect === "rejects" && (this.#isMixed.has(word) || isStood(word)), `the user's ${word} is lost`);
    }
    if (effect !== "rejects") return;
    for (const word of wordsOf(splitLines(currentText(rejectAll(after.changes, "keep"))))) {
      assert.ok(!this.#agents.has(word) || this.#isMixed.has(word), `${word} is left`);
    }
  }

  /** Whether a line that the user has made of the agent's stands for this old one, and stays in its place. */
  #standsFor({ base, marks, pieces }: Changes, word: string): boolean {
    const piece = pieces.find(({ baseStart, baseCount }) =>
      wordsOf(base.slice(baseStart, baseStart + baseCount)).has(word),
    );
    return piece !== undefined && marks.slice(piece.start, piece.start + piece.count).some(isMixed);
  }

  async agentWrites(): Promise<void> {
    const document = await this.#document();
    const content = this.#changed(splitLines(document.getText()), "a").join("");
    if (content === "") return;
    await this.#tool(read, { file_path: this.#uri.fsPath });
    await this.#tool(write, { file_path: this.#uri.fsPath, content });
  }

  async agentRuns(): Promise<void> {
    const text = this.#changed(splitLines(await this.#disk()), "a").join("");
    await this.#command("/bin/sh", "-c", 'printf %s "$1" > "$2"', "sh", text, this.#uri.fsPath);
  }

  /** Replaces words, deletes lines and adds some, at places of their own. */
  async agentRunsSed(): Promise<void> {
    const scripts = splitLines(await this.#disk()).flatMap((_, at) => {
      const line = at + 1;
      const what = this.#random.below(8);
      if (what === 0) return [`${line}d`];
      const word = what < 3 ? this.#fresh("a").trim() : "";
      if (what === 1) return [`${line}a ${word}`];
      return what === 2 ? [`${line}s/^[ua][0-9]*/${word}/`] : [];
    });
    if (scripts.length === 0) return;
    await this.#command("sed", "-i", ...scripts.flatMap((script) => ["-e", script]), this.#uri.fsPath);
  }

  /** Runs a step with a command. */
  async #command(program: string, ...args: string[]): Promise<void> {
    this.#checkpoints.begin();
    await this.#checkpoints.ready("unknown", signal);
    execFileSync(program, args);
    await this.#checkpoints.end();
    await this.#taken();
  }

  async userTypes(): Promise<void> {
    const editor = await this.#shown();
    const { document } = editor;
    const line = this.#random.below(document.lineCount);
    const last = Math.min(document.lineCount - 1, line + this.#random.below(3));
    const fresh = Array.from({ length: this.#random.below(3) }, () => this.#fresh("u")).join("");
    const isDone = await editor.edit((edit) => edit.replace(new vscode.Range(line, 0, last, 0), fresh));
    assert.ok(isDone);
  }

  async userAppends(): Promise<void> {
    const { document } = await this.#shown();
    const { range, text } = document.lineAt(this.#random.below(document.lineCount));
    if (text === "") return;
    const edit = new vscode.WorkspaceEdit();
    edit.insert(this.#uri, range.end, ` t${this.#next++}`);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  async diskWrites(): Promise<void> {
    await writeFile(this.#uri.fsPath, this.#changed(splitLines(await this.#disk()), "u").join(""));
    await this.#taken();
  }

  async stashOrPop(): Promise<void> {
    const isClean = this.#git("status", "--porcelain", "-uno") === "";
    if (isClean === !this.#hasStash) return;
    if (this.#hasStash && !isClean) return;
    const { text, changes } = await this.#state();
    const stashed = this.#stashed;
    this.#git("stash", ...(this.#hasStash ? ["pop"] : []));
    this.#hasStash = !this.#hasStash;
    await this.#taken();
    this.#stashed = this.#hasStash ? { text, changes } : undefined;
    if (this.#hasStash || !stashed) return;
    const now = await this.#state();
    if (now.text !== stashed.text) return;
    assert.deepEqual(now.changes.pieces, stashed.changes.pieces, "the review is not the one that was stashed");
  }

  /** Switches to the other branch, on which others have changed lines, and back. */
  async checkout(): Promise<void> {
    if (this.#hasStash) return;
    const { text, changes } = await this.#state();
    const left = this.#left;
    this.#git("commit", "-q", "--allow-empty", "-am", "all");
    this.#git("checkout", "-q", left ? "-" : "other");
    await this.#taken();
    this.#left = left ? undefined : { text, changes };
    const now = await this.#state();
    if (!left?.changes || now.text !== left.text) return;
    assert.deepEqual(now.changes.pieces, left.changes.pieces, "the review is not the one of the branch");
  }

  async save(): Promise<void> {
    assert.ok(await (await this.#document()).save());
  }

  async undo(command: "undo" | "redo"): Promise<void> {
    await this.#shown();
    await vscode.commands.executeCommand(command);
  }

  async decide(action: "accept" | "reject", isAll: boolean): Promise<void> {
    const hunks = this.review.changes(this.#uri)?.hunks.length ?? 0;
    if (hunks === 0) return;
    const index = isAll ? undefined : this.#random.below(hunks);
    if (action === "accept") await this.review.accept(this.#uri, index);
    else await this.review.reject(this.#uri, index);
    this.#forgetLeft();
  }

  async undoDecision(): Promise<void> {
    const words = this.#decided.pop();
    const uris = await this.review.undoDecision();
    assert.equal(uris.length > 0, words !== undefined);
    const { changes } = await this.#state();
    const base = wordsOf(changes.base);
    for (const word of words ?? []) if (!base.has(word)) this.#agents.add(word);
    this.#forgetLeft();
  }

  /** A text that is put away may have the same change as one that is decided. */
  #forgetLeft(): void {
    this.#stashed = undefined;
    if (this.#left) this.#left.changes = undefined;
  }

  async reload(): Promise<void> {
    await this.end();
    [this.review, this.#changes, this.#checkpoints] = this.#begin();
    await this.review.load();
  }
}

interface Act {
  effect: Effect;
  /** Whether the document may have no unsaved changes. */
  needsClean?: boolean;
  run(program: ReviewProgram): Promise<void>;
}

const acts: Record<string, Act> = {
  agentWrites: { effect: "keeps", run: (program) => program.agentWrites() },
  agentRuns: { effect: "keeps", needsClean: true, run: (program) => program.agentRuns() },
  agentRunsSed: { effect: "keeps", needsClean: true, run: (program) => program.agentRunsSed() },
  userTypes: { effect: "removes", run: (program) => program.userTypes() },
  userAppends: { effect: "keeps", run: (program) => program.userAppends() },
  diskWrites: { effect: "removes", needsClean: true, run: (program) => program.diskWrites() },
  stashOrPop: { effect: "removes", needsClean: true, run: (program) => program.stashOrPop() },
  checkout: { effect: "removes", needsClean: true, run: (program) => program.checkout() },
  save: { effect: "keeps", run: (program) => program.save() },
  undo: { effect: "removes", run: (program) => program.undo("undo") },
  redo: { effect: "removes", run: (program) => program.undo("redo") },
  accept: { effect: "accepts", run: (program) => program.decide("accept", false) },
  acceptAll: { effect: "accepts", run: (program) => program.decide("accept", true) },
  reject: { effect: "rejects", run: (program) => program.decide("reject", false) },
  rejectAll: { effect: "rejects", run: (program) => program.decide("reject", true) },
  undoDecision: { effect: "keeps", run: (program) => program.undoDecision() },
  closeEditors: {
    effect: "keeps",
    needsClean: true,
    run: async () => void (await vscode.commands.executeCommand("workbench.action.closeAllEditors")),
  },
  reload: { effect: "keeps", needsClean: true, run: (program) => program.reload() },
};

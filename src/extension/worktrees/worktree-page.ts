/** Sessions in worktrees of their own: begun, shown, compared, merged, thrown away. */

import path from "node:path";
import * as vscode from "vscode";
import { newID } from "../../base/ids.ts";
import { never } from "../../base/never.ts";
import type { ModelRef } from "../../chat/message.ts";
import { textPrompt } from "../../chat/prompt-input.ts";
import type { MergeView } from "../../chat/session-views.ts";
import { counted, t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import { previewMerge, stateOfWorktree } from "../../worktrees/changes.ts";
import { type BranchEnd, createWorktree, folderOf, removeWorktree } from "../../worktrees/create.ts";
import { WorktreeError } from "../../worktrees/git.ts";
import type { Loss } from "../../worktrees/losses.ts";
import { commitWork, mergeWorktree } from "../../worktrees/merge.ts";
import type { Worktree, WorktreeStore } from "../../worktrees/worktree-store.ts";
import type { Command, Feature } from "../feature.ts";
import { openFolders } from "../host/documents.ts";
import { removeLeftWorktrees } from "../left-behind.ts";
import { pickModel } from "../models/model-picker.ts";
import type { Models } from "../models/models.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers, PanelContext, PanelRequest } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import { chooseModel, modelFor, SessionChoices } from "../sessions/choices.ts";
import type { SessionObserver } from "../sessions/observers.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import type { KnownWorktrees } from "./known-worktrees.ts";
import { compareWorktree, worktreeText } from "./worktree-diff.ts";
import { askBeforeMerge, listed, lostAfterCommit, lostNow, outsideGit } from "./worktree-losses.ts";

export class WorktreePage implements Feature {
  readonly #panel: Panel;
  readonly #log: vscode.LogOutputChannel;
  readonly #context: PanelContext;
  readonly #models: Models;
  readonly #worktrees: KnownWorktrees;
  readonly #store: WorktreeStore;
  readonly #choices: SessionChoices;
  #next: { worktree: boolean; second: ModelRef | undefined } = { worktree: false, second: undefined };

  readonly handlers = {
    "set-place": ({ worktree }) => this.#setNext({ worktree, second: undefined }),
    "choose-second-model": async () => void (await this.#chooseSecondModel()),
    worktree: ({ id, action }) => this.#act(id, action),
    merge: (request) => this.#merge(request),
  } satisfies Partial<Handlers>;

  readonly commands: Record<string, Command>;

  readonly observer = {
    event: ({ chat }, { type }) => {
      if (type === "ended" && this.#worktrees.folderOf(chat.session.id) !== undefined) void this.refresh();
    },
  } satisfies Partial<SessionObserver>;

  readonly documents = { "rondo-worktree": worktreeText };

  constructor({ log, panel }: EditorWindow, { models, page, worktrees }: WindowServices) {
    this.#log = log;
    this.#panel = panel;
    this.#context = page;
    this.#models = models;
    this.#worktrees = worktrees;
    this.#store = worktrees.store;
    this.#choices = new SessionChoices(page.memory);
    this.commands = this.#commands();
  }

  state() {
    const { worktree, second } = this.#next;
    return {
      worktree: this.#worktrees.view(this.#context.conversations.current.chat.session.id),
      next: { worktree, second: second ? this.#models.describe(second).label : "" },
    };
  }

  prepare(): void {
    const { conversations } = this.#context;
    void removeLeftWorktrees(this.#store, (id) => conversations.has(id), this.#log);
  }

  /** Their words are those of the panel. */
  #commands(): Record<string, Command> {
    const { conversations, prepare, send } = this.#context;
    const reported = reportedIn(this.#context);
    const inPanel = (act: () => void | Promise<void>) =>
      reported(async () => {
        await this.#panel.reveal();
        await prepare();
        await act();
      });
    const act = (action: PanelRequest<"worktree">["action"]) =>
      inPanel(() => this.#act(conversations.current.chat.session.id, action));
    return {
      "rondo.newInWorktree": inPanel(() => {
        conversations.startNew();
        this.#setNext({ worktree: true, second: undefined });
      }),
      // The picker closes when the panel takes the focus, so the panel comes afterwards.
      "rondo.newWithTwoModels": reported(async () => {
        await prepare();
        if (!(await this.#chooseSecondModel())) return;
        conversations.startNew();
        await this.#panel.reveal();
      }),
      "rondo.showSideBySide": inPanel(() => send({ type: "show-rivals" })),
      "rondo.compareWorktree": act("compare"),
      "rondo.mergeWorktree": act("merge"),
      "rondo.keepWorktreeBranch": act("keep-branch"),
      "rondo.throwAwayWorktree": act("throw-away"),
    };
  }

  /** Asks for the model that the next message goes to as well. @returns whether one was chosen */
  async #chooseSecondModel(): Promise<boolean> {
    const second = await pickModel(this.#models);
    if (second) this.#setNext({ worktree: true, second });
    return second !== undefined;
  }

  /** Returns the worktrees of the session on screen and of the one with the same task, always in the same order. */
  get rivals(): [Worktree, Worktree] | undefined {
    const own = this.#worktrees.of(this.#context.conversations.current.chat.session.id);
    const other = this.#worktrees.of(own?.rival ?? "");
    if (!own || !other) return undefined;
    return own.createdAt < other.createdAt || (own.createdAt === other.createdAt && own.branch < other.branch)
      ? [own, other]
      : [other, own];
  }

  /** Names the model beside the title where two sessions have the same task. */
  titleOf(sessionID: string, title: string): string {
    const model = this.#worktrees.view(sessionID)?.rival ? this.modelOf(sessionID) : "";
    return model === "" ? title : `${title} · ${model}`;
  }

  /** Returns the name of the session's model; empty if there is none. */
  modelOf(sessionID: string): string {
    const model = modelFor(sessionID, this.#models, this.#context.memory);
    return model ? this.#models.describe(model).label : "";
  }

  /** Looks again at the worktrees, because a turn has ended or a list is shown. Never rejects. */
  async refresh(): Promise<void> {
    await this.#worktrees.look();
    this.#context.stateChanged();
  }

  /**
   * Begins what was chosen for the next message: one session in a worktree, or two with different models. Returns
   * nothing if the session on screen is to take the message. @throws WorktreeError; nothing is left behind
   */
  async begin(words: string): Promise<Session[]> {
    const { worktree, second } = this.#next;
    const { current } = this.#context.conversations;
    if (!worktree || current.chat.messages.length > 0) return [];
    if (!vscode.workspace.isTrusted) {
      throw new NoticeError(t("The workspace is not trusted, so no worktree is made of it."), "", "trust");
    }
    const folder = await chosenFolder();
    const first = modelFor(current.chat.session.id, this.#models, this.#context.memory);
    const ids = second ? [newID("ses"), newID("ses")] : [newID("ses")];
    const made = await this.#create(folder, words, ids);
    this.#setNext({ worktree: false, second: undefined });
    this.#worktrees.reload();
    return made.map((one, at) => {
      const model = at === 0 ? first : second;
      this.#choices.keepMode(one.sessionID, current.choices);
      if (model) this.#choices.keepModel(one.sessionID, model);
      return this.#context.conversations.startIn(folderOf(one), one.sessionID, at === 0);
    });
  }

  /** Asks what becomes of the work before a session is deleted. @returns whether it may be deleted */
  async release(sessionID: string): Promise<boolean> {
    const worktree = this.#store.of(sessionID);
    if (!worktree) return true;
    const state = await stateOfWorktree(worktree).catch(() => undefined);
    const losses = await lostNow(worktree);
    const isUntouched = state !== undefined && state.files.length === 0 && state.ahead === 0 && losses.length === 0;
    const [remove, keep] = [t("Delete the Work"), t("Keep the Branch")];
    const unmerged = state
      ? t("{0} changed files on {1} are not merged.", state.files.length, worktree.branch)
      : t("Some changed files on {0} are not merged.", worktree.branch);
    const detail = [unmerged, ...listed(outsideGit(losses), t("In both cases these are deleted for good:"))].join("\n");
    const answer = isUntouched
      ? remove
      : await vscode.window.showWarningMessage(
          t("The session's worktree has work in it."),
          { modal: true, detail },
          remove,
          keep,
        );
    if (answer === undefined) return false;
    this.#requireIdle(sessionID);
    if (answer === keep) await commitWork(worktree, this.#titleOf(sessionID));
    const allowed = answer === keep ? outsideGit(losses) : losses;
    await removeWorktree(this.#store, worktree, answer === keep ? "keep-branch" : "branch", allowed);
    this.#worktrees.reload();
    return true;
  }

  async #create(folder: string, words: string, ids: readonly string[]): Promise<Worktree[]> {
    const { worktreeCopy: copy, secrets } = readSettings();
    const progress = {
      location: vscode.ProgressLocation.Notification,
      title: t("Making a worktree"),
      cancellable: true,
    };
    return await vscode.window.withProgress(progress, async (_, token) => {
      const cancelled = new AbortController();
      token.onCancellationRequested(() => cancelled.abort());
      const made: Worktree[] = [];
      const left = new Set<string>();
      try {
        for (const sessionID of ids) {
          const rival = ids.find((other) => other !== sessionID) ?? "";
          const result = await createWorktree(
            this.#store,
            { sessionID, folder, words, rival, copy, secrets },
            cancelled.signal,
          );
          made.push(result.worktree);
          for (const sentence of result.left) left.add(sentence);
        }
      } catch (error) {
        for (const one of made) await removeWorktree(this.#store, one, "unused-branch");
        if (!cancelled.signal.aborted) throw error;
        throw new WorktreeError(t("No worktree was made, and nothing was sent."), t("Send the message again."));
      }
      if (left.size > 0) void vscode.window.showWarningMessage([...left].slice(0, 5).join(" "));
      return made;
    });
  }

  async #act(id: string, action: PanelRequest<"worktree">["action"]): Promise<void> {
    const worktree = this.#find(id);
    switch (action) {
      case "merge":
        this.#context.send({ type: "merge-preview", merge: await this.#preview(worktree) });
        return;
      case "compare":
        await compareWorktree(worktree);
        return;
      case "keep-branch":
        await this.#keepBranch(worktree);
        return;
      case "throw-away":
        await this.#askToThrowAway(worktree);
        return;
      default:
        never(action);
    }
  }

  async #preview(worktree: Worktree): Promise<MergeView> {
    const { target = "", branch, ahead, behind, clean, conflicts, stay, blocked } = await previewMerge(worktree);
    const rival = this.#store.of(worktree.rival);
    return {
      ...{ sessionID: worktree.sessionID, branch, target, ahead, behind, clean, conflicts, stay, blocked },
      rival: rival && { branch: rival.branch, title: this.titleOf(rival.sessionID, this.#titleOf(rival.sessionID)) },
    };
  }

  async #merge({ id, solve, remove }: PanelRequest<"merge">): Promise<void> {
    const worktree = this.#find(id);
    this.#requireIdle(id);
    const rival = remove ? this.#store.of(worktree.rival) : undefined;
    const lost = remove ? await lostAfterCommit(worktree) : [];
    const rivalLost = rival ? await lostNow(rival) : [];
    const kept = remove ? await askBeforeMerge(worktree, lost, rival, rivalLost) : "removed";
    if (kept === "cancelled") return;
    this.#requireIdle(id);
    const result = await mergeWorktree(worktree, this.#titleOf(id), solve ? "session" : "user");
    if (result.type === "conflicts") {
      await (result.in === "worktree" ? this.#askToSolve(id, result.files) : showConflicts(worktree, result.files));
      return void this.refresh();
    }
    const { branch } = worktree;
    void vscode.window.showInformationMessage(
      t("{0} is merged into {1}: {2} files.", branch, result.into, result.files),
    );
    if (!remove || kept === "kept") return void this.refresh();
    await this.#end(worktree, "merged-branch", lost);
    if (rival) await this.#throwAway(rival, rivalLost);
  }

  /** The session solves the conflicts in its worktree; the user merges afterwards. */
  async #askToSolve(id: string, files: readonly string[]): Promise<void> {
    const { conversations, memory } = this.#context;
    conversations.show(id);
    chooseModel(conversations.current, this.#models, memory);
    const text = `The newest commits of the user were merged into this worktree, and these files have conflicts: ${files.join(", ")}. Solve them: keep what both sides want, and remove the marks. Do not commit.`;
    await conversations.current.prompt(textPrompt(text));
  }

  async #keepBranch(worktree: Worktree): Promise<void> {
    this.#requireIdle(worktree.sessionID);
    const losses = await lostAfterCommit(worktree);
    const lost = listed(losses, t("The branch does not take these along. They are deleted for good:"));
    const remove = t("Keep the Branch Only");
    const question = t("Remove the worktree of {0}?", worktree.branch);
    const ask = async () =>
      await vscode.window.showWarningMessage(question, { modal: true, detail: lost.join("\n") }, remove);
    if (lost.length > 0 && (await ask()) !== remove) return;
    this.#requireIdle(worktree.sessionID);
    await commitWork(worktree, this.#titleOf(worktree.sessionID));
    await this.#end(worktree, "keep-branch", losses);
    void vscode.window.showInformationMessage(t("The work is on the branch {0}.", worktree.branch));
  }

  async #askToThrowAway(worktree: Worktree): Promise<void> {
    const state = await stateOfWorktree(worktree).catch(() => undefined);
    const losses = await lostNow(worktree);
    const files = state?.files.length ?? 0;
    const work = counted(
      files,
      "{0} changed file is deleted with the worktree and its branch.",
      "{0} changed files are deleted with the worktree and its branch.",
    );
    const detail = [work, ...listed(outsideGit(losses), t("Git does not hold these. They are deleted for good:"))].join(
      "\n",
    );
    const throwAway = t("Throw Away");
    const question = t("Throw away {0}?", worktree.branch);
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, throwAway);
    if (answer === throwAway) await this.#throwAway(worktree, losses);
  }

  /** A turn that runs is stopped. The work stays in git for as long as git keeps what no branch has. */
  async #throwAway(worktree: Worktree, losses: readonly Loss[]): Promise<void> {
    await this.#context.conversations.stop(worktree.sessionID);
    this.#requireIdle(worktree.sessionID);
    const commit = await commitWork(worktree, this.#titleOf(worktree.sessionID)).catch(() => undefined);
    await this.#end(worktree, "branch", losses);
    const way = commit
      ? ` ${t("“git branch {0} {1}” brings it back for some days.", worktree.branch, commit.slice(0, 12))}`
      : "";
    void vscode.window.showInformationMessage(t("{0} is thrown away.{1}", worktree.branch, way));
  }

  /** Removes the worktree, if nothing else is lost than the user has agreed to. Its session goes on in the user's folder. */
  async #end(worktree: Worktree, and: BranchEnd, losses: readonly Loss[]): Promise<void> {
    const { sessionID } = worktree;
    await this.#context.conversations.closeSession(sessionID);
    await removeWorktree(this.#store, worktree, and, losses);
    this.#worktrees.reload();
    await this.#context.conversations.moveTo(sessionID, openFolders()[0] ?? "");
    this.#context.stateChanged();
  }

  #find(id: string): Worktree {
    const worktree = this.#store.of(id);
    if (worktree) return worktree;
    throw new WorktreeError(
      t("This session has no worktree any more."),
      t("Its work was merged, kept or thrown away."),
    );
  }

  #requireIdle(id: string): void {
    if (!this.#context.conversations.isBusy(id)) return;
    throw new WorktreeError(t("The session still works."), t("Stop it, or wait until it has ended."));
  }

  #titleOf(id: string): string {
    const { conversations } = this.#context;
    return conversations.list().find((one) => one.id === id)?.title ?? t("Work of a session");
  }

  #setNext(next: { worktree: boolean; second: ModelRef | undefined }): void {
    this.#next = next;
    this.#context.stateChanged();
  }
}

/** Returns the open folder that a worktree is made of. Of several, the user chooses one. */
async function chosenFolder(): Promise<string> {
  const folders = openFolders();
  const [only] = folders;
  if (only === undefined) throw new WorktreeError(t("No folder is open."), t("Open a folder of a git repository."));
  if (folders.length === 1) return only;
  const items = folders.map((folder) => ({ label: path.basename(folder), description: folder, folder }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("Folder of the Worktree"),
    placeHolder: t("The session works in a copy of this folder alone"),
  });
  if (!picked) throw new WorktreeError(t("No worktree was made, and nothing was sent."), t("Send the message again."));
  return picked.folder;
}

async function showConflicts({ root }: Worktree, files: readonly string[]): Promise<void> {
  const [first] = files;
  void vscode.window.showWarningMessage(t("These files have conflicts: {0}. Solve and commit them.", files.join(", ")));
  if (first !== undefined) {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(root), first), { preview: true });
  }
}

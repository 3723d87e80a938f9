/** The commands, in one table. Those of the review are in `review/review-commands.ts`. */

import * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { ownWords } from "../chat/words.ts";
import { language, t } from "../l10n/l10n.ts";
import type { Attachments } from "./attachments/attachments.ts";
import type { Composer } from "./composer/composer.ts";
import { describeProblems } from "./editor/problem-prompt.ts";
import type { Keys } from "./models/keys.ts";
import { pickModel } from "./models/model-picker.ts";
import type { Models } from "./models/models.ts";
import { setKey } from "./models/set-key.ts";
import { type Handlers, handle, type PanelContext } from "./panel/handlers.ts";
import type { Panel } from "./panel/panel.ts";
import { reportedIn } from "./panel/reported.ts";

interface CommandOptions {
  page: PanelContext;
  composer: Composer;
  handlers: Handlers;
  panel: Panel;
  keys: Keys;
  models: Models;
  files: Attachments;
}

export function commands(options: CommandOptions): Record<string, () => unknown> {
  const { page, composer, handlers, panel, files } = options;
  const { conversations, send } = page;
  const reported = reportedIn(page);
  const revealed = (act: () => void | Promise<void>) => async () => {
    await panel.reveal();
    await act();
  };
  /** Answers what is in sight, else brings it into sight. */
  const answered = (key: "confirm" | "dismiss") => () =>
    panel.isShown ? send({ type: "answer-key", key }) : panel.reveal();
  return {
    // `extension.ts` has shown the view.
    "rondo.focus": () => send({ type: "focus" }),
    "rondo.new": revealed(() => conversations.startNew()),
    "rondo.stop": () => handle(handlers, { type: "stop" }),
    "rondo.allow": answered("confirm"),
    "rondo.deny": answered("dismiss"),
    "rondo.sessions": revealed(() => send({ type: "show-sessions" })),
    "rondo.rename": reported(async () => {
      const { id, title } = conversations.current.chat.session;
      const name = await vscode.window.showInputBox({ title: t("Rename Session"), value: title });
      if (name !== undefined) await handle(handlers, { type: "rename-session", id, title: name });
    }),
    "rondo.export": reported(async () => {
      const items = [
        { label: t("Markdown"), description: t("to read"), format: "markdown" as const },
        { label: t("JSON Lines"), description: t("complete; can be imported again"), format: "jsonl" as const },
      ];
      const picked = await vscode.window.showQuickPick(items, { title: t("Export Session") });
      const { id } = conversations.current.chat.session;
      if (picked) await handle(handlers, { type: "export-session", id, format: picked.format });
    }),
    "rondo.import": reported(revealed(() => handle(handlers, { type: "import-session" }))),
    "rondo.compact": reported(revealed(() => handle(handlers, { type: "compact", goOn: false }))),
    async "rondo.restoreCheckpoint"() {
      const messageID = await pickMessage(conversations.current.chat);
      if (messageID === undefined) return;
      await panel.reveal();
      send({ type: "show-restore", messageID });
    },
    "rondo.find": revealed(() => send({ type: "find" })),
    "rondo.rules": revealed(() => send({ type: "show-rules" })),
    "rondo.showTrace": revealed(() => send({ type: "show-trace" })),
    "rondo.addSelection": reported(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return inform(t("Open a file first. Its selection is added."));
      const attaching = files.fromSelection(editor);
      await Promise.all([attaching, panel.reveal()]);
      composer.attach([await attaching]);
    }),
    "rondo.explain": reported(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return inform(t("Open a file first. Its selection is explained."));
      await panel.reveal();
      const text = "Explain this code: what it does, and what is not obvious about it.";
      await composer.prompt({ text, attachments: [await files.fromSelection(editor)] });
    }),
    "rondo.fix": reported(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return inform(t("Open a file first. The problems in its selection are fixed."));
      const text = fixPrompt(editor);
      await panel.reveal();
      await composer.prompt({ text, attachments: [await files.fromSelection(editor)] });
    }),
    "rondo.setKey": reported(async () => {
      await page.prepare();
      await setKey(options.keys, options.models);
    }),
    "rondo.selectModel": () => selectModel(options),
    async "rondo.openRecord"() {
      const { session, messages } = conversations.current.chat;
      if (!conversations.has(session.id) || messages.length === 0) {
        return inform(t("This session has no record yet. The first message creates it."));
      }
      await vscode.window.showTextDocument(vscode.Uri.file(conversations.recordPath()), { preview: true });
    },
    "rondo.showLog": () => handle(handlers, { type: "show-log" }),
  };
}

function inform(message: string): void {
  void vscode.window.showInformationMessage(message);
}

function fixPrompt({ document, selection }: vscode.TextEditor): string {
  const { uri } = document;
  const all = vscode.languages.getDiagnostics(uri);
  const problems = all.filter(({ range }) => selection.isEmpty || range.intersection(selection));
  if (problems.length === 0) return "Find what is wrong with this code and fix it.";
  return `Fix these problems in ${describeProblems(uri, problems)}`;
}

async function selectModel({ page, handlers, models }: CommandOptions): Promise<void> {
  await page.prepare();
  const ref = await pickModel(models);
  if (ref) await handle(handlers, { type: "set-model", ...ref });
}

/** Asks for the message to go back to; the newest comes first. */
async function pickMessage({ messages }: Chat): Promise<string | undefined> {
  const items = messages.flatMap((entry) => {
    const label = ownWords(entry.parts).trim().replace(/\s+/g, " ").slice(0, 100);
    if (entry.info.role !== "user" || label === "") return [];
    const time = new Date(entry.info.createdAt).toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit" });
    return [{ label, description: time, messageID: entry.info.id }];
  });
  const title = t("Restore Checkpoint");
  const placeHolder = t("Restore the files to before this message; you see the changes first");
  return (await vscode.window.showQuickPick(items.toReversed(), { title, placeHolder }))?.messageID;
}

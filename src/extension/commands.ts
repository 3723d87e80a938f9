/** The commands, one table. Those of the review are beside it. */
import * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { ownWords } from "../chat/words.ts";
import { type ProviderID, providerIDs, providerNames } from "../providers/providers.ts";
import type { Keys } from "./models/keys.ts";
import type { Models } from "./models/models.ts";
import { fromSelection } from "./panel/attachments.ts";
import type { Panel } from "./panel/panel.ts";
import type { Rondo } from "./panel/rondo.ts";
import type { Archive } from "./panel/sessions-page.ts";
import type { Conversations } from "./sessions/conversations.ts";

export interface CommandParts {
  rondo: Rondo;
  archive: Archive;
  panel: Panel;
  conversations: Conversations;
  keys: Keys;
  models: Models;
  log: vscode.LogOutputChannel;
}

type Commands = Record<string, () => unknown>;

export function commands({ rondo, archive, panel, conversations, keys, models, log }: CommandParts): Commands {
  /** What goes wrong is said in the panel, where the session is. */
  const trying = (act: () => Promise<void>) => async () => {
    try {
      await act();
    } catch (error) {
      panel.send({ type: "notice", ...rondo.explain(error) });
    }
  };
  return {
    "rondo.focus": () => panel.reveal(),
    async "rondo.new"() {
      await panel.reveal();
      conversations.startNew();
    },
    "rondo.stop": () => rondo.stop(),
    async "rondo.sessions"() {
      await panel.reveal();
      panel.send({ type: "show-sessions" });
    },
    "rondo.rename": trying(async () => {
      const { id, title } = rondo.chat().session;
      const name = await vscode.window.showInputBox({ title: "Rename Session", value: title });
      if (name !== undefined) await archive.rename(id, name);
    }),
    "rondo.export": trying(async () => {
      const items = [
        { label: "Markdown", description: "to read", format: "markdown" as const },
        { label: "JSON Lines", description: "whole, to be imported again", format: "jsonl" as const },
      ];
      const picked = await vscode.window.showQuickPick(items, { title: "Export Session" });
      if (picked) await archive.export(rondo.chat().session.id, picked.format);
    }),
    "rondo.import": trying(async () => {
      await panel.reveal();
      await archive.import();
    }),
    async "rondo.compact"() {
      await panel.reveal();
      await rondo.compact();
    },
    async "rondo.restoreCheckpoint"() {
      const messageID = await pickMessage(rondo.chat());
      if (messageID === undefined) return;
      await panel.reveal();
      panel.send({ type: "show-restore", messageID });
    },
    async "rondo.rules"() {
      await panel.reveal();
      panel.send({ type: "show-rules" });
    },
    async "rondo.addSelection"() {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return tell("Open a file first: its selection is what is added.");
      rondo.attach([fromSelection(editor)]);
      await panel.reveal();
    },
    async "rondo.explain"() {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return tell("Open a file first: its selection is what is explained.");
      await panel.reveal();
      const text = "Explain this code: what it does, and what is not obvious about it.";
      await rondo.prompt({ text, attachments: [fromSelection(editor)] });
    },
    async "rondo.fix"() {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return tell("Open a file first: the problems of its selection are what is fixed.");
      const text = fixPrompt(editor);
      await panel.reveal();
      await rondo.prompt({ text, attachments: [fromSelection(editor)] });
    },
    "rondo.setKey": () => setKey(keys),
    "rondo.selectModel": () => selectModel(rondo, models),
    async "rondo.openRecord"() {
      const uri = vscode.Uri.file(conversations.recordPath());
      if (!conversations.has(rondo.chat().session.id) || rondo.chat().messages.length === 0) {
        return tell("This session has no record yet: it begins with the first message.");
      }
      await vscode.window.showTextDocument(uri, { preview: true });
    },
    "rondo.showLog": () => log.show(),
  };
}

function tell(message: string): void {
  void vscode.window.showInformationMessage(message);
}

function fixPrompt({ document, selection }: vscode.TextEditor): string {
  const problems = vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ range }) => selection.isEmpty || range.intersection(selection))
    .slice(0, 20)
    .map(({ message, range }) => `- line ${range.start.line + 1}: ${message}`);
  if (problems.length === 0) return "Find what is wrong with this code and fix it.";
  return `Fix these problems in ${vscode.workspace.asRelativePath(document.uri)}:\n${problems.join("\n")}`;
}

async function setKey(keys: Keys): Promise<void> {
  const items = providerIDs.map((id: ProviderID) => ({ label: providerNames[id], id }));
  const provider = await vscode.window.showQuickPick(items, { title: "Set API Key", placeHolder: "Whose key?" });
  if (!provider) return;
  const key = await vscode.window.showInputBox({
    title: `API key for ${provider.label}`,
    prompt: "It is kept in VS Code's secret storage. Leave it empty to take the stored key away.",
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/\s/.test(value.trim()) ? "A key has no spaces." : undefined),
  });
  if (key === undefined) return;
  await keys.set(provider.id, key.trim());
}

async function selectModel(rondo: Rondo, models: Models): Promise<void> {
  await rondo.prepare();
  const abort = new AbortController();
  const known = models.choices;
  const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { pick?: (typeof known)[number] }>();
  const show = (choices: typeof known) => {
    picker.items = choices.map((choice) => ({
      label: choice.label,
      description: choice.group,
      ...(choice.price !== undefined && { detail: `${choice.price} for a million tokens in / out` }),
      pick: choice,
    }));
  };
  picker.title = "Select Model";
  picker.placeholder = "A model from the list, or any model's id";
  picker.onDidAccept(async () => {
    const picked = picker.selectedItems[0]?.pick;
    const typed = picker.value.trim();
    const providerID = models.current?.providerID ?? "anthropic";
    const ref = picked ?? (typed === "" ? undefined : { providerID, modelID: typed });
    picker.hide();
    if (ref) await rondo.receive({ type: "set-model", providerID: ref.providerID, modelID: ref.modelID });
  });
  picker.onDidHide(() => {
    abort.abort();
    picker.dispose();
  });
  show(known);
  picker.show();
  picker.busy = true;
  try {
    const more = await models.listFromServers(abort.signal);
    if (more.length > 0)
      show([...known.filter((one) => !more.some((other) => other.modelID === one.modelID)), ...more]);
  } catch (error) {
    if (!abort.signal.aborted) picker.placeholder = rondo.explain(error).message;
  } finally {
    picker.busy = false;
  }
}

/** Which message to go back to, the newest first. */
async function pickMessage({ messages }: Chat): Promise<string | undefined> {
  const items = messages.flatMap((entry) => {
    const label = ownWords(entry.parts).trim().replace(/\s+/g, " ").slice(0, 100);
    if (entry.info.role !== "user" || label === "") return [];
    const time = new Date(entry.info.createdAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return [{ label, description: time, messageID: entry.info.id }];
  });
  const title = "Restore Checkpoint";
  const placeHolder = "The files as they were before this message; you see what would change first";
  return (await vscode.window.showQuickPick(items.toReversed(), { title, placeHolder }))?.messageID;
}

/** "Set API Key…": lists every provider with its address, its key page, and where its key is from. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { KnownFacts } from "../../providers/catalog/model-facts.ts";
import { microsoftScope, providerOf } from "../../providers/providers.ts";
import { microsoftToken } from "./entra.ts";
import type { Keys } from "./keys.ts";
import type { Models } from "./models.ts";
import { entryOf, type ProviderEntry, providerEntries } from "./provider-entries.ts";

type ProviderRow = vscode.QuickPickItem & { entry?: ProviderEntry };

const keyPageButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("link-external"),
  tooltip: t("Open the page for keys"),
};
const storeButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("lock"),
  tooltip: t("Move the key to VS Code's secret storage"),
};
const deleteButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("trash"),
  tooltip: t("Delete the stored key"),
};

const keyButtons = { storage: [deleteButton], environment: [storeButton], none: [] };

/** The keys must have been read. Resolves when a key is stored or deleted, or the user has left. */
export async function setKey(keys: Keys, models: Models): Promise<void> {
  const entry = await pickProvider(keys, models.facts);
  if (!entry) return;
  if (entry.address === undefined && !(await askAddress(entry))) return;
  const way = await pickWay(entry);
  const key = way === "key" ? await askKey(entry, keys) : way && "";
  if (key === undefined) return;
  await keys.set(entry.id, key);
  if (way === "account") await signIn(entry);
  if ((key !== "" || way === "account") && models.current?.providerID !== entry.id) void offerModels(entry);
}

/** A Microsoft account takes the place of a key at some addresses: the user chooses. */
async function pickWay({ id, name }: ProviderEntry): Promise<"key" | "account" | undefined> {
  if (microsoftScope(id, entryOf(id)?.address) === undefined) return "key";
  const ways = [
    { label: `$(key) ${t("API key")}`, way: "key" as const },
    { label: `$(account) ${t("Sign in with Microsoft")}`, description: t("no key needed"), way: "account" as const },
  ];
  return (await vscode.window.showQuickPick(ways, { title: t("Connect {0}", name) }))?.way;
}

/** @throws ModelError when the user does not sign in */
async function signIn({ id }: ProviderEntry): Promise<void> {
  const scope = microsoftScope(id, entryOf(id)?.address);
  const token = scope === undefined ? undefined : microsoftToken(scope);
  if (typeof token === "function") await token();
}

async function offerModels({ name }: ProviderEntry): Promise<void> {
  const action = t("Select Model…");
  const picked = await vscode.window.showInformationMessage(t("{0} is connected.", name), action);
  if (picked === action) await vscode.commands.executeCommand("rondo.selectModel");
}

async function pickProvider(keys: Keys, facts: KnownFacts): Promise<ProviderEntry | undefined> {
  const picker = vscode.window.createQuickPick<ProviderRow>();
  picker.title = t("Set API Key");
  picker.placeholder = t("Provider");
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  const show = () => {
    picker.items = rowsOf(keys, facts);
  };
  show();
  const picked = new Promise<ProviderEntry | undefined>((resolve) => {
    picker.onDidAccept(() => {
      const entry = picker.selectedItems[0]?.entry;
      if (entry) resolve(entry);
    });
    picker.onDidHide(() => resolve(undefined));
  });
  picker.onDidTriggerItemButton(async ({ button, item: { entry } }) => {
    if (button === deleteButton && entry) {
      await keys.set(entry.id, "");
      show();
    } else if (button === storeButton && entry) {
      if (await keys.storeFromEnvironment(entry.id)) tellStored(entry);
      show();
    } else if (entry?.keyPage !== undefined) await openPage(entry.keyPage);
  });
  picker.show();
  const entry = await picked;
  picker.dispose();
  return entry;
}

/** The variable is the user's: only they can remove it. */
function tellStored({ name, keyVariable }: ProviderEntry): void {
  void vscode.window.showInformationMessage(
    t(
      "The key of {0} is kept in VS Code's secret storage now. Remove {1} from your environment, where other programs can read it, and start VS Code again.",
      name,
      keyVariable ?? "",
    ),
  );
}

function rowsOf(keys: Keys, facts: KnownFacts): ProviderRow[] {
  const entries = providerEntries();
  const section = (label: string, kind: ProviderEntry["kind"]): ProviderRow[] => {
    const rows = entries.filter((entry) => entry.kind === kind).map((entry) => rowOf(entry, keys, facts));
    return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
  };
  return [
    ...section("", "cloud"),
    ...section(t("Your own"), "own"),
    ...section(t("Servers that mostly need none"), "local"),
  ];
}

function rowOf(entry: ProviderEntry, keys: Keys, facts: KnownFacts): ProviderRow {
  const { id, name, address = t("address not set"), keyPage, models, ownAddress } = entry;
  const modelID = models[0] ?? (ownAddress === undefined ? providerOf(id)?.defaultModel : undefined);
  const from = keys.keyOf(id)?.from;
  return {
    entry,
    label: name,
    description: describeKey(entry, from),
    detail: modelID === undefined ? address : `${address} · ${facts.of({ providerID: id, modelID }).label}`,
    buttons: [...keyButtons[from ?? "none"], ...(keyPage === undefined ? [] : [keyPageButton])],
    ...(from !== undefined && { iconPath: new vscode.ThemeIcon("key") }),
  };
}

function describeKey({ id, address, keyVariable }: ProviderEntry, from: "storage" | "environment" | undefined): string {
  switch (from) {
    case "storage":
      return t("key stored");
    case "environment":
      return t("key from {0}", keyVariable ?? "");
    case undefined:
      return microsoftScope(id, address) === undefined ? "" : t("Microsoft account");
  }
}

/** Stores the address in the user's settings. */
async function askAddress({ id, name }: ProviderEntry): Promise<boolean> {
  const address = await vscode.window.showInputBox({
    title: t("Address of {0}", name),
    prompt: t(
      "The address of the API, for example https://NAME.openai.azure.com/openai/v1. It is kept in rondo.providers.",
    ),
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^https?:\/\//.test(value.trim()) && URL.canParse(value.trim()) ? undefined : t("An http or https address."),
  });
  if (address === undefined) return false;
  const settings = vscode.workspace.getConfiguration("rondo");
  const before = settings.inspect<Record<string, object>>("providers")?.globalValue ?? {};
  const after = { ...before, [id]: { ...before[id], baseUrl: address.trim() } };
  await settings.update("providers", after, vscode.ConfigurationTarget.Global);
  return true;
}

/** Resolves with the key; "" deletes the stored one. */
function askKey({ id, name, keyPage }: ProviderEntry, keys: Keys): Promise<string | undefined> {
  const input = vscode.window.createInputBox();
  const isStored = keys.keyOf(id)?.from === "storage";
  input.title = t("API key for {0}", name);
  input.prompt = t(
    "The key is kept in VS Code's secret storage.{0}",
    isStored ? ` ${t("Leave empty to delete the stored key.")}` : "",
  );
  input.password = true;
  input.ignoreFocusOut = true;
  input.buttons = keyPage === undefined ? [] : [keyPageButton];
  input.onDidTriggerButton(() => keyPage !== undefined && openPage(keyPage));
  return new Promise<string | undefined>((resolve) => {
    input.onDidChangeValue((value) => {
      input.validationMessage = /\s/.test(value.trim()) ? t("A key cannot contain spaces.") : "";
    });
    input.onDidAccept(() => input.validationMessage === "" && resolve(input.value.trim()));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}

async function openPage(page: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(page));
}

/** Connecting a model from the panel: checks keys and servers, stores what was accepted, and starts with it. */

import type * as vscode from "vscode";
import { commands, env, Uri, window } from "vscode";
import type { ConnectCheck, ConnectView } from "../../chat/connect.ts";
import type { ModelRef } from "../../chat/message.ts";
import { t } from "../../l10n/l10n.ts";
import { checkAccess } from "../../providers/connect/check-access.ts";
import { maskKey, ownerOfKey } from "../../providers/connect/key-owner.ts";
import { localServers } from "../../providers/families/families.ts";
import { providerOf } from "../../providers/providers.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { startedWith } from "../sessions/choices.ts";
import { pagesOf } from "./account.ts";
import type { Keys } from "./keys.ts";
import { type Models, signInCommand } from "./models.ts";
import { accessOf, entryOf, type ProviderEntry, providerEntries } from "./provider-entries.ts";
import { keepAddress } from "./provider-setting.ts";
import { checkServer } from "./server-check.ts";

type ShownPage = Pick<PanelContext, "send" | "stateChanged">;

interface ConnectSources {
  keys: Keys;
  models: Models;
  /** Values that VS Code keeps for all workspaces. */
  globalState: Pick<vscode.Memento, "update">;
  setModel(ref: ModelRef): void;
}

/** What the open form has sent. It is forgotten when the form closes. */
interface OpenForm {
  form: AbortController;
  providerID: string;
  key: string;
  address: string;
  /** Stores what is not stored yet; set when the form's connection can be used. */
  keep: (() => Promise<void>) | undefined;
}

const nothing: ConnectView = { provider: undefined, masked: "", check: { type: "none" } };

/** Takes over what the user gives to connect a model; a message of the panel stands for each press of a button. */
export class ConnectPage {
  readonly #page: ShownPage;
  readonly #sources: ConnectSources;
  #open: OpenForm | undefined;
  #look = new AbortController();

  readonly handlers = {
    "look-for-models": () => this.look(),
    "open-key-form": ({ providerID }) => {
      const provider = entryOf(providerID);
      this.#begin(providerID);
      this.#show({ ...nothing, provider: provider && describe(provider) });
    },
    "check-key": ({ key, providerID, address }) => this.#checkKey(key, providerID, address),
    "check-server": ({ address, key }) => this.#checkServer(address, key),
    "close-form": () => this.#close(),
    "start-with": ({ modelID }) => this.#start(modelID),
    "use-found": async ({ providerID }) => {
      const ref = this.#sources.models.firstOf(providerID);
      if (ref) await this.#use(ref);
    },
    "open-provider-page": ({ providerID, page }) => openPage(providerID, page),
    "sign-in-to-copilot": async () => {
      await commands.executeCommand(signInCommand);
      await this.look();
    },
    "pull-model": ({ providerID }) => {
      const [, server] = localServers.find(([id]) => id === providerID) ?? [];
      if (!server?.local.pull) return;
      const terminal = window.createTerminal({ name: server.name });
      terminal.show();
      terminal.sendText(server.local.pull.command);
    },
  } satisfies Partial<Handlers>;

  constructor(page: ShownPage, sources: ConnectSources) {
    this.#page = page;
    this.#sources = sources;
  }

  /** Ends the search before. Never rejects. */
  async look(): Promise<void> {
    this.#look.abort();
    this.#look = new AbortController();
    await this.#sources.models.look(this.#look.signal, this.#page.stateChanged);
  }

  dispose(): void {
    this.#look.abort();
    this.#close();
  }

  #begin(providerID: string): OpenForm {
    this.#close();
    this.#open = { form: new AbortController(), providerID, key: "", address: "", keep: undefined };
    return this.#open;
  }

  #close(): void {
    this.#open?.form.abort();
    this.#open = undefined;
  }

  #show(view: ConnectView): void {
    this.#page.send({ type: "connect", view });
  }

  async #checkKey(given: string, providerID: string, address: string): Promise<void> {
    const before = this.#open;
    const key = given.trim() || (before?.key ?? "");
    const owner = providerID || (given.trim() === "" && before?.providerID) || ownerOfKey(key);
    const open = this.#begin(typeof owner === "string" ? owner : "");
    open.key = key;
    const entry = typeof owner === "string" ? entryOf(owner) : undefined;
    open.address = address.trim() || before?.address || (entry?.address ?? "");
    const shown = { provider: entry && describe(entry), masked: maskKey(key) };
    const show = (check: ConnectCheck) => open === this.#open && this.#show({ ...shown, check });
    if (/\s/.test(key)) return void show({ type: "invalid", message: t("A key has no spaces. Paste the key alone.") });
    if (!entry) return void show({ type: "which", providers: candidates(owner) });
    if (open.address === "")
      return void show({ type: "address", example: providerOf(entry.id)?.addressExample ?? "https://…" });
    if (!isAddress(open.address)) {
      return void show({ type: "invalid", message: t("An address begins with http:// or https://.") });
    }
    show({ type: "checking" });
    const isNewAddress = open.address !== entry.address;
    const asked = isNewAddress ? { ...entry, ownAddress: open.address, address: open.address } : entry;
    show(await this.#check(open, asked, isNewAddress));
  }

  async #check(open: OpenForm, entry: ProviderEntry, isNewAddress: boolean): Promise<ConnectCheck> {
    const { keys, models } = this.#sources;
    const { key } = open;
    const access = { ...accessOf(entry, keys), ...(entry.ownAddress && { baseURL: entry.ownAddress }), apiKey: key };
    const known = (list: Parameters<Models["learn"]>[2]) => models.learn(entry, access, list);
    const answer = await checkAccess(
      { providerID: entry.id, access, chooseModel: (list) => known(list)[0]?.modelID },
      open.form.signal,
    );
    if (answer.type === "no-answer") return { type: "no-answer", host: hostOf(open.address), hint: "" };
    if (answer.type === "refused") return answer;
    const keep = async () => {
      if (isNewAddress) await keepAddress(entry.id, { baseUrl: open.address });
      await keys.set(entry.id, key);
    };
    if (open !== this.#open) return { type: "none" };
    // An account without credit keeps its key, too: only money is missing.
    await keep();
    open.keep = async () => {};
    if (answer.type === "no-credit") return { type: "no-credit", said: answer.said };
    return { type: "accepted", models: known(answer.list), isNewKey: true };
  }

  async #checkServer(given: string, key: string): Promise<void> {
    const before = this.#open;
    const open = this.#begin("");
    open.address = given.trim() || before?.address || "";
    open.key = key.trim() || before?.key || "";
    const shown = { provider: undefined, masked: open.key === "" ? "" : maskKey(open.key) };
    const show = (check: ConnectCheck) => open === this.#open && this.#show({ ...shown, check });
    show({ type: "checking" });
    const { keys, models } = this.#sources;
    const { check, server } = await checkServer({ ...open, models, signal: open.form.signal });
    if (open !== this.#open) return;
    if (server) {
      open.providerID = server.providerID;
      open.keep = async () => {
        await server.keepAddress();
        if (open.key !== "") await keys.set(server.providerID, open.key);
      };
    }
    show(check);
  }

  async #start(modelID: string): Promise<void> {
    const open = this.#open;
    if (!open?.keep) return;
    await open.keep();
    this.#close();
    await this.#use({ providerID: open.providerID, modelID });
  }

  async #use(ref: ModelRef): Promise<void> {
    const { models, setModel, globalState } = this.#sources;
    setModel(ref);
    await globalState.update(startedWith, ref);
    this.#page.stateChanged();
    this.#page.send({ type: "connected", label: models.describe(ref).label });
  }
}

function describe({ id, name, keyPage }: ProviderEntry): NonNullable<ConnectView["provider"]> {
  return { id, name, hasKeyPage: keyPage !== undefined };
}

async function openPage(providerID: string, page: "keys" | "credit"): Promise<void> {
  const { keyPage, creditPage } = pagesOf(providerID);
  const url = page === "keys" ? keyPage : creditPage;
  if (url !== undefined) await env.openExternal(Uri.parse(url));
}

/** The likely providers first, then all others that take keys. */
function candidates(likely: string | readonly string[]): { id: string; name: string }[] {
  const all = providerEntries().filter(({ kind }) => kind === "cloud");
  const first = [likely].flat().flatMap((id) => all.find((one) => one.id === id) ?? []);
  return [...first, ...all.filter((one) => !first.includes(one))].map(({ id, name }) => ({ id, name }));
}

const isAddress = (address: string) => /^https?:\/\//.test(address) && URL.canParse(address);
const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address);

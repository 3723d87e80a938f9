/** Writes the user's settings about providers: addresses that the user has given in a form. */
import * as vscode from "vscode";

interface GivenProvider {
  baseUrl: string;
  name?: string;
  api?: "messages";
}

/** Adds a provider to `rondo.providers`, or changes its address there. */
export async function keepAddress(id: string, given: GivenProvider): Promise<void> {
  await change("providers", id, (before) => ({ ...before, ...given }));
}

/** Keeps where a kind of model server listens, in `rondo.localServers`. */
export async function keepLocalServer(id: string, address: string): Promise<void> {
  await change("localServers", id, () => address);
}

async function change(name: string, id: string, next: (before: object | undefined) => unknown): Promise<void> {
  const settings = vscode.workspace.getConfiguration("rondo");
  const before = settings.inspect<Record<string, object>>(name)?.globalValue ?? {};
  await settings.update(name, { ...before, [id]: next(before[id]) }, vscode.ConfigurationTarget.Global);
}

/** The account at a provider, for people whose key or credit is at fault. */
import type { ModelRef } from "../../chat/message.ts";
import type { AccountView } from "../../chat/model-views.ts";
import { providerOf } from "../../providers/providers.ts";
import { entryOf } from "./provider-entries.ts";

/** Returns the provider's pages; credit is added beside the keys where it has no page of its own. */
export function pagesOf(providerID: string): { keyPage: string | undefined; creditPage: string | undefined } {
  const { keyPage, creditPage = keyPage } = providerOf(providerID) ?? {};
  return { keyPage, creditPage };
}

/** Returns undefined for models of VS Code, whose accounts are VS Code's own. */
export function accountOf(model: ModelRef | undefined): AccountView | undefined {
  const entry = model && entryOf(model.providerID);
  if (!entry) return undefined;
  const { id, name, ownAddress, kind } = entry;
  // Credit at the provider does not help a server at another address.
  const hasCreditPage = ownAddress === undefined && pagesOf(id).creditPage !== undefined;
  const isOwnServer = kind !== "cloud" || ownAddress !== undefined;
  return { providerID: id, name, takesKey: kind !== "local" || ownAddress !== undefined, hasCreditPage, isOwnServer };
}

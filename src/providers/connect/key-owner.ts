/** Whose key a key is, by its form. */
import { type ProviderID, providerIDs, providers } from "../families/families.ts";
import type { KeyForms } from "../families/family.ts";

/** Returns the provider, or those that it may be, the likely ones first; empty: any. */
export function ownerOfKey(key: string): ProviderID | readonly ProviderID[] {
  const having = (form: keyof KeyForms) => providerIDs.filter((id) => providers[id].keyForms?.[form]?.test(key));
  const [owner] = having("own");
  return owner ?? [...having("likely"), ...having("possible")];
}

/** Returns the beginning and the end of a key, with dots for the rest. */
export function maskKey(key: string): string {
  const [start = ""] = /^(sk-[a-z]+-|[a-z]{2,4}[-_])/i.exec(key) ?? [];
  const shown = key.length - start.length >= 12 ? 3 : 0;
  return `${start}${"•".repeat(12)}${shown > 0 ? key.slice(-shown) : ""}`;
}

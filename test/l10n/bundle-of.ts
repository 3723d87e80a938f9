/** The texts of a language, by their English ones. */
import { readFile } from "node:fs/promises";

export const bundleOf = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../l10n/bundle.l10n.${name}.json`, import.meta.url), "utf8"));

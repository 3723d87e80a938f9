/** The language of the command line: of what it tells people, never of what it prints for programs. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Bundle, useLanguage } from "../l10n/l10n.ts";

/** Translations beside `dist`, where the build puts this file. */
const folder = path.join(import.meta.dirname, "../l10n");

/** Speaks the language of the environment, if there are translations into it; otherwise English. */
export function useEnvironmentLanguage(env: NodeJS.ProcessEnv): void {
  const name = languageOf(env);
  const bundle = name === undefined ? undefined : readBundle(name);
  if (name !== undefined && bundle) useLanguage(name, bundle);
}

/**
 * Returns the language as VS Code names it: "de" for `de_AT.UTF-8`, "zh-cn" for `zh_CN`. Of the variables, the first that
 * is not empty counts: https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html#tag_08_02
 */
export function languageOf(env: NodeJS.ProcessEnv): "de" | "zh-cn" | undefined {
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  const [language, script, region] =
    /^([a-z]+)(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}))?(?=$|[.@])/i.exec(locale)?.slice(1) ?? [];
  if (language?.toLowerCase() === "de") return "de";
  // Traditional characters are another language.
  const isSimplified = script === undefined ? /^(CN|SG)$/i.test(region ?? "") : /^Hans$/i.test(script);
  return language?.toLowerCase() === "zh" && isSimplified ? "zh-cn" : undefined;
}

/** A run without the files, as in a test from source, is in English. */
function readBundle(name: string): Bundle | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, `bundle.l10n.${name}.json`), "utf8"));
  } catch {
    return undefined;
  }
}

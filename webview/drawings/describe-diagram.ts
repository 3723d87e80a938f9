/** Says what a diagram shows, for those who do not see it. */
import { localized, t } from "../../src/l10n/l10n.ts";

const maxCharacters = 400;

/** `kind`: in English, as the worker knows it. */
export function describeDiagram({ kind, title, texts }: { kind: string; title: string; texts: string }): string {
  const name = localized(kind);
  const all = title === "" ? `${name}: ${texts}` : t("{0} “{1}”: {2}", name, title, texts);
  return all.length > maxCharacters ? `${all.slice(0, maxCharacters)}…` : all;
}

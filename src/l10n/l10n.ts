/**
 * The language of what people read. The English sentence is the key, and stands in for a missing translation, so without
 * a bundle everything is in English. Imports nothing, because every package and the panel use it.
 */

/** Translations by English text, as `l10n/bundle.l10n.*.json` has them. */
export type Bundle = Readonly<Record<string, string>>;

interface Language {
  /** Identifier of VS Code, such as "de" or "zh-cn"; `Intl` takes it, too. */
  readonly name: string;
  readonly bundle: Bundle;
}

type Value = string | number;

const englishLanguage: Language = { name: "en", bundle: {} };

/**
 * The language belongs to the process, not to a module: each of the extension's bundles has a copy of this module, and the
 * first page knows the language before the panel is loaded.
 */
const key = Symbol.for("rondo.l10n");
// `globalThis` has no type for a property that is only known here.
const shared = globalThis as { [key]?: Language };

const current = () => shared[key] ?? englishLanguage;

/** Sets the language of this process. Call it before modules are loaded that keep texts in constants. */
export function useLanguage(name: string, bundle: Bundle = {}): void {
  shared[key] = { name, bundle };
  templates = undefined;
}

/** Returns the language for `Intl` and for the `lang` of a page. */
export function language(): string {
  return current().name;
}

/**
 * Translates a text, which must be a literal. `{0}`, `{1}`… stand for the values. What follows a "|" is not shown: it tells
 * apart texts that are one in English only, such as "Read" and "Read|done".
 */
export function t(text: string, ...values: Value[]): string {
  return filled(translation(text), values);
}

/** Translates "{0} file" or "{0} files"; `{0}` is the number, `{1}`… are the values. */
export function counted(n: number, one: string, many: string, ...values: Value[]): string {
  return filled(translation(n === 1 ? one : many), [formatted(n), ...values]);
}

/** Returns a number as the language writes it. */
export function formatted(n: number, options?: Intl.NumberFormatOptions): string {
  return n.toLocaleString(language(), options);
}

/** Own keys only: a text may be named like a method of objects. */
function translation(text: string): string {
  const { bundle } = current();
  if (Object.hasOwn(bundle, text)) return bundle[text] ?? text;
  const context = text.indexOf("|");
  return context < 0 ? text : text.slice(0, context);
}

/** Fills in all values at once, so that a value with `{1}` in it stays as it is. */
function filled(text: string, values: readonly Value[]): string {
  if (values.length === 0) return text;
  return text.replace(/\{(\d+)\}/g, (placeholder, at: string) => String(values[Number(at)] ?? placeholder));
}

/**
 * Returns the English text. For what the model or the record gets, in English, and a person reads as well, through
 * `localized`. The first argument must be a literal, as for `t`.
 */
export function msg(text: string, ...values: Value[]): string {
  return filled(text, values);
}

/** Returns "1 file" or "2 files" in English, as `msg` does. */
export function msgCount(n: number, one: string, many: string, ...values: Value[]): string {
  return filled(n === 1 ? one : many, [n, ...values]);
}

/**
 * Marks a text that stays in English where texts for people stand: for the model, the log or a program. What a person reads
 * goes through `t` or `msg`.
 */
export function english(text: string): string {
  return text;
}

interface Template {
  readonly text: string;
  /** What stands before, between and after the placeholders. */
  readonly pieces: readonly string[];
  /** Placeholders in the order of the English text. */
  readonly numbers: readonly number[];
  /** Characters that are no placeholders. */
  readonly length: number;
}

let templates: readonly Template[] | undefined;

/** Longer texts come from a program or the model, and comparing them would take time. */
const longestShown = 4000;

/** Texts that are little more than placeholders would match anything; they match numbers and phrases only. */
const shortestTemplate = 8;
const shortestTitle = 4;
/** A reason within a text is translated if it is this much of one of Rondo's, such as a reason after a colon. */
const shortestInner = 12;
const number = /^\d+$|^\d{1,3}(,\d{3})+$/;

/**
 * Translates a text that `msg` has made, here or in another process or version. Any other text is returned as it is. A
 * text that only looks like one of Rondo's is translated, too, and says the same as before.
 */
export function localized(text: string): string {
  const { bundle } = current();
  if (text.length > longestShown) return text;
  if (Object.hasOwn(bundle, text)) return translation(text);
  return bySentences(text) ?? byTemplate(text) ?? text;
}

/**
 * Translates the title of a call, "Edit a.ts", or its question, "Edit a.ts?". Titles are short, so little of them is left
 * beside their placeholders.
 */
export function localizedTitle(text: string): string {
  const { bundle } = current();
  if (text.length > longestShown || Object.hasOwn(bundle, text)) return localized(text);
  if (!text.endsWith("?")) return byTemplate(text, shortestTitle) ?? text;
  const title = text.slice(0, -1);
  return filled(translation("{0}?"), [localizedTitle(title)]);
}

/** Translates several sentences, if each is known. */
function bySentences(text: string): string | undefined {
  const sentences = text.split(/(?<=[.!?]) (?=\p{Lu})/u);
  if (sentences.length < 2) return undefined;
  const translations = sentences.map((one) =>
    Object.hasOwn(current().bundle, one) ? translation(one) : byTemplate(one),
  );
  return translations.every((one) => one !== undefined) ? translations.join(" ") : undefined;
}

function byTemplate(text: string, shortest = shortestTemplate): string | undefined {
  const { bundle } = current();
  templates ??= Object.keys(bundle)
    .flatMap((known) => templateOf(known) ?? [])
    .sort((a, b) => b.length - a.length);
  for (const template of templates) {
    const values = valuesIn(text, template);
    if (values && isPlausible(template, values, shortest))
      return filled(translation(template.text), valuesInLanguage(template, values));
  }
  return undefined;
}

const isPlausible = ({ length }: Template, values: readonly string[], shortest: number) =>
  length >= shortest || values.every((value) => number.test(value) || isPhrase(value));

/** Of several words: a single one may be a name. */
const isPhrase = (value: string) => value.includes(" ") && Object.hasOwn(current().bundle, value);

/** Translates what stands in a sentence, and reasons after a colon or in brackets, which are sentences themselves. */
function valuesInLanguage({ pieces, numbers }: Template, values: readonly string[]): string[] {
  const reasons = new Set(numbers.filter((_, at) => /(: |\()$/.test(pieces[at] ?? "")));
  return values.map((value, number) => (reasons.has(number) && innerReasons(value)) || valueInLanguage(value));
}

/** Translates numbers, "3 files" and phrases within a sentence. A name of a file or a word of a command stays as it is. */
function valueInLanguage(value: string): string {
  if (number.test(value)) return formatted(Number(value.replaceAll(",", "")));
  if (isPhrase(value)) return translation(value);
  for (const template of templates ?? []) {
    const values = valuesIn(value, template);
    if (values?.every((one) => number.test(one)))
      return filled(translation(template.text), values.map(valueInLanguage));
  }
  return value;
}

/** Translates "name is too long; mode must be a string", if each reason is one of Rondo's. */
function innerReasons(value: string): string | undefined {
  if (!value.includes(" ")) return undefined;
  const reasons = value.split("; ").map((one) => (isPhrase(one) ? translation(one) : byTemplate(one, shortestInner)));
  return reasons.every((one) => one !== undefined) ? reasons.join("; ") : undefined;
}

function templateOf(text: string): Template | undefined {
  const numbers = [...text.matchAll(/\{(\d+)\}/g)].map(([, at]) => Number(at));
  const pieces = text.split(/\{\d+\}/);
  const { length } = pieces.join("");
  return numbers.length > 0 && length > 1 ? { text, pieces, numbers, length } : undefined;
}

/** Returns what stands in the place of each placeholder. Each piece is looked for once, so this takes no longer than reading. */
function valuesIn(text: string, { pieces, numbers }: Template): string[] | undefined {
  const [first = "", ...rest] = pieces;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const end = text.length - last.length;
  const values: string[] = [];
  let start = first.length;
  for (const [at, number] of numbers.entries()) {
    const piece = rest[at];
    const stop = piece === undefined ? end : text.indexOf(piece, start);
    if (stop < start || stop > end) return undefined;
    values[number] = text.slice(start, stop);
    start = stop + (piece?.length ?? 0);
  }
  return values;
}

/** What a command would do, in words and with its places, for the card of its question. */
import { effectSentence } from "../../../chat/effect-sentence.ts";
import type { AskReason, TextRange } from "../../../chat/requests.ts";
import { msg } from "../../../l10n/l10n.ts";
import type { CallEffects } from "../../tool.ts";
import { type CommandContext, CommandFiles } from "../command-files.ts";
import { effectOf, isPure } from "../programs/table.ts";
import { RequiredPermissions } from "../required.ts";
import type { SyntaxNode } from "../shell/grammar.ts";
import { systemName } from "../shell/simple-command.ts";
import type { PlacedAction } from "../shell/visitor.ts";
import type { ShellReading } from "../shell/walk.ts";
import type { ShellWord } from "../shell/word.ts";
import { absolutePath } from "./deleted-files.ts";
import { deletionOf, describeDeleted, describeDiscarded, type Target } from "./deletions.ts";
import { remoteChange } from "./elsewhere.ts";
import { networkCode } from "./network-code.ts";

type Runs = Extract<PlacedAction, { type: "command" }>;

interface ReadCommand {
  command: string;
  /** Absolute. */
  cwd: string;
  reading: ShellReading;
}

export async function commandEffects(read: ReadCommand, context: CommandContext): Promise<CallEffects> {
  const { command, reading } = read;
  const { actions, root } = reading;
  const connectors = root ? connectorsOf(root) : [];
  if (!actions || !root) return { effects: [unreadable(command, [], true)], connectors };
  const effects: AskReason[] = [];
  for (const { hosts, ranges } of networkCode(root)) {
    const from = hosts.length > 0 ? hosts.slice(0, 2).join(", ") : msg("the network");
    const detail = msg("Nobody has seen this code before it runs.");
    // A here-document belongs to the statement, and not to its pipeline.
    const unread = actions.filter(
      ({ type, range }) => type === "unsupported" && ranges.some((one) => overlap(one, range)),
    );
    const marks = [...ranges, ...unread.map(({ range }) => range)];
    effects.push({ risk: "network-code", sentence: msg("It runs code from {0}.", from), detail, marks });
  }
  const explained = effects.flatMap(({ marks }) => marks);
  effects.push(...(await deletions(read, actions, context)));
  for (const action of actions) {
    if (action.type === "unsupported" && !explained.some((range) => overlap(range, action.range))) {
      effects.push(unreadable(action.text, [action.range], action.text.trim() === command.trim()));
    }
    if (action.type === "command") effects.push(...effectsOf(action, effects));
  }
  return { effects, connectors };
}

function effectsOf(action: Runs, known: readonly AskReason[]): AskReason[] {
  const marks = [action.range];
  const [program, ...rest] = namedWords(action);
  if (program === undefined || isPure(program)) return [];
  const words = rest.filter((word) => word !== undefined);
  const remote = remoteChange([program, ...words]);
  if (remote) return [{ risk: "elsewhere", ...remote, marks }];
  const isTold = known.some((one) => one.marks.some((range) => overlap(range, action.range)));
  if (isTold) return [];
  const effect = effectOf(program, words);
  if (/^(writes|moves|changes)/.test(effect))
    return [{ risk: "writes", sentence: effectSentence(effect), detail: "", marks }];
  const unknown = action.words.filter(({ values }) => !values).map(({ text }) => text);
  if (unknown.length === 0) return [];
  const sentence = msg("What it does is known only when it runs.");
  return [{ risk: "unreadable", sentence, detail: msg("It depends on {0}.", unknown.slice(0, 3).join(", ")), marks }];
}

function unreadable(text: string, marks: TextRange[], isWhole: boolean): AskReason {
  const decoded = decodedTexts(text);
  const detail = decoded.length > 0 ? msg("Decoded, it reads: {0}", decoded.slice(0, 2).join(" · ")) : "";
  const sentence = isWhole ? msg("Rondo cannot read this command.") : msg("Rondo cannot read a part of it.");
  return { risk: "unreadable", sentence, detail, marks };
}

async function deletions(
  { command, cwd }: ReadCommand,
  actions: readonly PlacedAction[],
  context: CommandContext,
): Promise<AskReason[]> {
  const found: AskReason[] = [];
  const targets: Target[] = [];
  const marks: TextRange[] = [];
  // Only expands wildcards: nothing is required.
  const files = new CommandFiles(new RequiredPermissions(command), context);
  for (const action of actions) {
    const deletion = action.type === "command" ? deletionOf(namedWords(action)) : undefined;
    if (action.type !== "command" || !deletion) continue;
    if (deletion.type === "other" || deletion.type === "discards") {
      const { sentence, detail } =
        deletion.type === "other"
          ? deletion
          : await describeDiscarded(deletion, onlyFolder(action, cwd), context.signal);
      found.push({ risk: "deletes", sentence, detail, marks: [action.range] });
      continue;
    }
    const paths = new Set(deletion.paths);
    const { folders } = action;
    if (!folders && deletion.type === "files") deletion.isPartial = true;
    for (const folder of folders ?? []) {
      const globs = globsOf(action).filter((glob) => paths.has(glob));
      const expanded = await files.expandGlobs(globs, [folder]);
      for (const { glob, paths: all } of expanded) {
        paths.delete(glob);
        if (!all && deletion.type === "files") deletion.isPartial = true;
        for (const one of all ?? []) paths.add(one);
      }
      targets.push({ deletion, paths: [...paths].map((one) => absolutePath(one, folder, cwd)) });
    }
    if ((folders ?? []).length === 0) targets.push({ deletion, paths: [] });
    marks.push(action.range);
  }
  if (targets.length === 0) return found;
  const { workspace } = context.host;
  return [{ risk: "deletes", ...(await describeDeleted(targets, workspace, cwd, context.signal)), marks }, ...found];
}

function onlyFolder({ folders }: Runs, cwd: string): string | undefined {
  const [folder, ...others] = folders ?? [];
  return folder === undefined || others.length > 0 ? undefined : absolutePath(".", folder, cwd);
}

const globsOf = ({ words }: Runs) => words.flatMap(({ values, isGlob }) => (isGlob ? (values ?? []) : []));

/** Returns the words of an action, the program by its plain name; each value of a loop's variable is a word of its own. */
function namedWords({ words }: Runs): (string | undefined)[] {
  const all = words.flatMap(({ values }: ShellWord): readonly (string | undefined)[] => values ?? [undefined]);
  const [program, ...rest] = all;
  return program === undefined ? [undefined] : [systemName(program), ...rest];
}

function overlap(one: TextRange, other: TextRange): boolean {
  return one.start < other.end && other.start < one.end;
}

// Finds the operators between the commands of the first level. Pure.

/** Nodes whose children stand on the first level of the command, as these themselves do. */
const open = new Set(["program", "list", "pipeline", "redirected_statement", "negated_command"]);
const operators = new Set(["&&", "||", ";", "&", "|", "|&"]);

function connectorsOf(root: SyntaxNode): TextRange[] {
  const found: TextRange[] = [];
  const visit = ({ type, start, end, children }: SyntaxNode): void => {
    if (operators.has(type)) found.push({ start, end });
    else if (open.has(type)) for (const child of children) visit(child);
    else if (type === "heredoc_redirect") {
      // The grammar makes what follows on the first line a part of the here-document: `<<EOF | sort`.
      for (const child of children) if (operators.has(child.type) || open.has(child.type)) visit(child);
    }
  };
  visit(root);
  return found.sort((one, other) => one.start - other.start);
}

// Decodes what a command hides in base64 or in escapes, for the card of its question. Pure.

const maxShown = 200;

/** Returns the decoded texts of a command that decodes something, each as one line. */
function decodedTexts(text: string): string[] {
  const found = [...base64In(text), ...hexIn(text), ...escapesIn(text)];
  const readable = found.map((one) => one.replace(/\s+/g, " ").trim()).filter((one) => one !== "" && isReadable(one));
  return [...new Set(readable)].map((one) => (one.length > maxShown ? `${one.slice(0, maxShown)}…` : one));
}

function base64In(text: string): string[] {
  if (!/base64|b64decode|atob|openssl\s+enc|FromBase64/i.test(text)) return [];
  const texts = [...text.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g)].map(([match]) => match);
  return texts.filter(isBase64).map((one) => decode(Buffer.from(one, "base64")));
}

/** A word such as `FromBase64String` has no length of a code, or decodes to nothing that can be read. */
const isBase64 = (text: string) => text.replaceAll("=", "").length % 4 !== 1;

function hexIn(text: string): string[] {
  if (!/xxd|unhex|fromhex|hex/i.test(text)) return [];
  const texts = [...text.matchAll(/\b(?:[\da-f]{2}){4,}\b/gi)].map(([match]) => match);
  return texts.map((one) => decode(Buffer.from(one, "hex")));
}

/** `$'\x72\x6d'`, `printf '\162\155'` */
function escapesIn(text: string): string[] {
  const runs = (text.match(/(?:\\x[\da-f]{2}|\\[0-7]{3}|[\w ./-])+/gi) ?? []).filter((run) =>
    /(?:\\x[\da-f]{2}|\\[0-7]{3}){2}/i.test(run),
  );
  return runs.map((run) =>
    run.replace(/\\x([\da-f]{2})|\\([0-7]{3})/gi, (_, hex, octal) =>
      String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8)),
    ),
  );
}

const decode = (bytes: Buffer) => new TextDecoder().decode(bytes);

/** Whether most of it are characters of a text, and none is a control character. */
function isReadable(text: string): boolean {
  if (/[\p{Cc}\p{Cf}\ufffd]/u.test(text)) return false;
  const plain = text.match(/[\x20-\x7e]/g)?.length ?? 0;
  return text.length >= 2 && plain / text.length > 0.8 && /[a-z]/i.test(text);
}

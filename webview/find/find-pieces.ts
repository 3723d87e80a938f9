/**
 * The texts of the log that can be found, from its data: most rows are not in the page, and folded texts are not either.
 *
 * A row is divided into pieces, and the element that shows a piece has its key as `data-piece`. The number of matches
 * comes from the data alone; in the page, each element is searched by itself (find-marks.ts). Both agree because a piece
 * and its element have the same text once all that `folds` names is open: they get it from the same functions. A piece
 * that is still folded, cut, or drawn in an older state may show other matches than it counts; then marks are drawn on
 * what is there, and going to a match opens the piece first.
 */
import type { Token } from "marked";
import { never } from "../../src/base/never.ts";
import type { Chat } from "../../src/chat/apply.ts";
import { placeName } from "../../src/chat/comments.ts";
import type { CommentPart, TextPart, ToolPart } from "../../src/chat/message.ts";
import { ownText, ownWords } from "../../src/chat/words.ts";
import { callBody, shownError } from "../calls/call-body.ts";
import { diffTexts, patchRows } from "../calls/diff-rows.ts";
import { outputLines, shownLines } from "../calls/terminal-output.ts";
import { toolLineOf } from "../calls/tool-line.ts";
import { groupLine } from "../conversation/group-line.ts";
import { type LogRow, rowsOf, rowText } from "../conversation/log-rows.ts";
import { type Activity, isNotice, messageGroupsOf } from "../conversation/message-groups.ts";
import { chipsOf, type FindPiece, type Fold, linePiece } from "../conversation/part-rows.ts";
import { quotedLines } from "../conversation/quoted-lines.ts";
import { blockText } from "../markdown/markdown.ts";
import { MarkdownBlocks } from "../markdown/markdown-blocks.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { attachedLines } from "../text/file-path.ts";
import { relative } from "../text/format.ts";
import { blockBreak } from "../text/read-text.ts";

interface PieceContext {
  chat: Chat;
  texts: AnswerTexts;
  /** Whether a question about this call is open. */
  asks: (part: ToolPart) => boolean;
}

/** Returns the pieces of a row, in the order in which they stand there. */
export function piecesOf(row: LogRow, context: PieceContext): FindPiece[] {
  try {
    return contentPieces(row, context);
  } catch {
    // Nor can it be drawn.
    return [];
  }
}

function contentPieces(row: LogRow, context: PieceContext): FindPiece[] {
  switch (row.type) {
    case "user":
      return userPieces(row);
    case "text":
      return [piece(`${row.part.id} text`, context.texts.of(row.part))];
    case "notice":
      return [noticePiece(row.part)];
    case "compaction": {
      const { summary, id } = row.mark;
      return summary
        ? [piece(`${id} text`, blocksText(new MarkdownBlocks(), ownWords(summary.parts)), [`${id} open`, true])]
        : [];
    }
    case "tools":
      return [];
    case "interrupted":
    case "undrawn":
      return [piece(`${row.key} line`, escapeInvisible(rowText(row, "")))];
    case "activity":
      return activityPieces(row.activity, row.key, context);
    default:
      return never(row);
  }
}

function activityPieces(activity: Activity, rowKey: string, context: PieceContext): FindPiece[] {
  if (activity.type === "tool") return callPieces(activity.part, context);
  if (activity.type !== "collapsed") return [linePiece(activity, rowKey)];
  const { parts } = activity;
  const fold = [`${parts[0]?.id} collapsed`, true] as const;
  const { verb, object } = groupLine(parts, context.chat.session.cwd);
  const calls = parts.flatMap((part) => callPieces(part, context));
  return [piece(`${parts[0]?.id} group title`, `${verb} ${object}`), ...within([fold], calls)];
}

function piece(key: string, text: string, ...folds: Fold[]): FindPiece {
  return { key, text, folds };
}

function within(folds: readonly Fold[], pieces: readonly FindPiece[]): FindPiece[] {
  return pieces.map((one) => ({ ...one, folds: [...folds, ...one.folds] }));
}

function userPieces({ entry: { info, parts } }: Extract<LogRow, { type: "user" }>): FindPiece[] {
  const files = parts.filter((part) => part.type === "file");
  const names = [
    ...files.map((part) => piece(`${part.id} name`, part.filename + attachedLines(part))),
    ...chipsOf(parts).map((chip) => piece(`${chip.id} name`, escapeInvisible(chip.text))),
  ];
  const text = piece(`${info.id} text`, ownText(parts), [`${info.id} whole`, true]);
  const comments = parts.filter((part) => part.type === "comment").flatMap(commentPieces);
  return [...names, text, ...comments, ...parts.filter(isNotice).map(noticePiece)];
}

function commentPieces(comment: CommentPart): FindPiece[] {
  const { id } = comment;
  return [
    piece(`${id} place`, escapeInvisible(placeName(comment))),
    piece(`${id} lines`, quotedLines(comment)),
    piece(`${id} text`, comment.text),
  ];
}

function noticePiece({ id, text }: TextPart): FindPiece {
  return piece(`${id} text`, escapeInvisible(text.trim()));
}

function callPieces(part: ToolPart, context: PieceContext): FindPiece[] {
  const { id } = part;
  const { cwd } = context.chat.session;
  const asks = context.asks(part);
  const { verb, object, fact } = toolLineOf(part, asks, cwd);
  const line = [piece(`${id} title`, `${verb} ${object}`), piece(`${id} fact`, fact)];
  if (asks) return line;
  const below = part.tool === "task" ? taskPieces(part, context) : bodyPieces(part, cwd);
  return [...line, ...within([[`${id} open`, true]], below)];
}

function bodyPieces(part: ToolPart, cwd: string): FindPiece[] {
  const { id } = part;
  const { script, diffs, live, output, error } = callBody(part);
  const changes = diffs.flatMap(({ path, patch }, at) => [
    piece(`${id} ${at} path`, escapeInvisible(relative(path, cwd))),
    piece(`${id} ${at} diff`, diffTexts(patchRows(patch)).join(blockBreak), [`${id} ${at} diff`, true]),
  ]);
  const text = diffs.length > 0 && output !== "" ? "" : live || output;
  return [piece(`${id} script`, script), errorPiece(id, error), ...changes, outputPiece(id, text)];
}

function errorPiece(id: string, error: string): FindPiece {
  return error.includes("\n") ? outputPiece(id, error) : piece(`${id} output`, shownError(error));
}

function outputPiece(id: string, text: string): FindPiece {
  return piece(`${id} output`, shownLines(outputLines(text)), [`${id} output`, true]);
}

/** The conversation of a subagent, if it is here; else its result. */
function taskPieces(part: ToolPart, context: PieceContext): FindPiece[] {
  const { output, error } = callBody(part);
  const childID = "metadata" in part.state ? part.state.metadata?.childID : undefined;
  const child = childID === undefined ? undefined : context.chat.children[childID];
  const failure = errorPiece(part.id, error);
  if (!child || child.session.createdAt === 0) return [failure, outputPiece(part.id, output)];
  const rows = messageGroupsOf(child.messages).flatMap((group) => rowsOf(group, true));
  const folds = [[`${part.id} whole`, true] as const, [`${child.session.id} rows`, rows.length] as const];
  const nested = rows.flatMap((row) => piecesOf(row, { ...context, chat: child }));
  return [failure, ...within(folds, nested)];
}

interface AnswerText {
  source: string;
  text: string;
  /** Only of an answer that has grown, and may grow on. */
  blocks: MarkdownBlocks | undefined;
}

/** Texts of answers, which are read once, not with each query. */
export class AnswerTexts {
  readonly #texts = new WeakMap<TextPart, AnswerText>();

  of(part: TextPart): string {
    const before = this.#texts.get(part);
    const source = part.text;
    if (before?.source === source) return before.text;
    const blocks = before && (before.blocks ?? new MarkdownBlocks());
    const text = blocksText(blocks ?? new MarkdownBlocks(), source);
    this.#texts.set(part, { source, text, blocks });
    return text;
  }
}

/** Finished blocks of a growing answer stay the same. */
const tokenTexts = new WeakMap<Token, string>();

function blocksText(blocks: MarkdownBlocks, source: string): string {
  const all = blocks.update(source).map(({ token }) => {
    const text = tokenTexts.get(token) ?? blockText(token);
    tokenTexts.set(token, text);
    return text;
  });
  return all.join(blockBreak);
}

/** Compares attachments. Its own file, because the panel uses it too and does not bundle zod. */
import type { Attachment } from "./prompt-input.ts";

/** An attachment without its text. */
interface AttachedPlace {
  url: string;
  filename?: string;
  source?: Omit<NonNullable<Attachment["source"]>, "text"> | undefined;
}

/** Whether both are the same file, or the same lines of it, whatever text they have. */
export function isSamePlace(one: AttachedPlace, other: AttachedPlace): boolean {
  // An address with the content in it names no file: two files may have the same content.
  const isSameFile = one.url === other.url && (!one.url.startsWith("data:") || one.filename === other.filename);
  return isSameFile && linesOf(one) === linesOf(other);
}

/** A whole file that has grown is the same one. */
function linesOf({ source }: AttachedPlace): string {
  if (!source) return "";
  return source.whole ? "whole" : `${source.start}-${source.end}`;
}

/** Adds attachments, but none that is there already. */
export function joined(before: readonly Attachment[], more: readonly Attachment[]): Attachment[] {
  const all = [...before];
  for (const one of more) if (!all.some((other) => isSamePlace(one, other))) all.push(one);
  return all;
}

/** Adds attachments; one that is there already gets the newer text in its place. */
export function renewed(before: readonly Attachment[], more: readonly Attachment[]): Attachment[] {
  const newest = (one: Attachment) => more.findLast((other) => isSamePlace(one, other)) ?? one;
  return joined(before.map(newest), more);
}

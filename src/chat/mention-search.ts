/** What "@" finds in the workspace and beyond it, and the messages between the panel and the host about it. */
import * as z from "zod/mini";
import type { CommandArgument } from "./command-arguments.ts";

/** Kinds in the order of the list where nothing else orders them. */
export const mentionKinds = ["file", "folder", "symbol", "problem", "change", "session", "resource", "page"] as const;
export type MentionKind = (typeof mentionKinds)[number];

const maxPath = z.string().check(z.maxLength(4096));
/** From 1. */
const line = z.int().check(z.gte(1));
const uri = z.string().check(z.maxLength(8192));
const server = z.string().check(z.maxLength(200));
const variable = z.string().check(z.maxLength(100));
const value = z.string().check(z.maxLength(2000));

/** Something that can be attached. `uri` names it for VS Code. */
export const Mention = z.discriminatedUnion("kind", [
  /** `lines`: first and last, both included. */
  z.object({ kind: z.literal("file"), uri, lines: z.optional(z.tuple([line, line])) }),
  z.object({ kind: z.literal("folder"), uri }),
  z.object({ kind: z.literal("symbol"), uri, lines: z.tuple([line, line]) }),
  z.object({ kind: z.literal("problem"), uri, line, message: maxPath }),
  /** The change of one file against the last commit. */
  z.object({ kind: z.literal("change"), uri }),
  z.object({ kind: z.literal("session"), id: z.string().check(z.maxLength(200)) }),
  z.object({ kind: z.literal("resource"), server, uri }),
  /** A template of resources with values of its variables. */
  z.object({ kind: z.literal("filled-template"), server, uri, values: z.record(variable, value) }),
  /** A web address that the user has written. */
  z.object({ kind: z.literal("page"), uri }),
]);
export type Mention = z.infer<typeof Mention>;

/** A part of a text: the index of its first character, and the one after its last. */
export type MarkedSpan = readonly [from: number, to: number];

/** A template of the resources of a server: it can be attached when its variables have values. All is the server's claim. */
export interface ResourceTemplate {
  kind: "template";
  server: string;
  /** With the variables in braces. */
  uri: string;
  description: string;
  /** In the order in which they are asked for. */
  variables: readonly CommandArgument[];
}

export interface MentionHit {
  mention: Mention | ResourceTemplate;
  name: string;
  /** The parts of the name that the words fit. */
  marks: readonly MarkedSpan[];
  /** Where it is: a folder with "/" at its end, a file with its line, a server. Empty if the name says it. */
  where: string;
  whereMarks: readonly MarkedSpan[];
  /** "open", "12 files", "yesterday"; empty for nothing to say. */
  note: string;
}

export interface MentionGroup {
  kind: MentionKind;
  hits: readonly MentionHit[];
}

/** What was found for the words so far. */
export interface FoundMentions {
  /** As in the request. */
  query: MentionQuery;
  groups: readonly MentionGroup[];
  /** Kinds that are still looked for; each is answered on its own. */
  pending: readonly MentionKind[];
}

/** What there is of each kind, told when the list opens: "cart.ts, money.ts" for files. Kinds without are not offered. */
export type MentionKindNotes = Partial<Record<MentionKind, string>>;

/** What a server offers for a variable of which `value` is written; none: it offers nothing. */
export interface VariableValues {
  server: string;
  uri: string;
  variable: string;
  value: string;
  values: readonly string[];
}

const MentionQuery = z.object({
  words: z.string().check(z.maxLength(1000)),
  /** Looks for one kind only, and shows more of it. */
  only: z.optional(z.enum(mentionKinds)),
  /** Whether files that git ignores are looked for, too. */
  ignored: z.boolean(),
});
export type MentionQuery = z.infer<typeof MentionQuery>;

export const mentionRequests = [
  /** Answered with `mention-kinds`, as soon as it is known. The files are listed anew. */
  z.object({ type: z.literal("begin-mention") }),
  /** Answered with `mentions`: once at once, then once for each pending kind. A later request ends the search. */
  z.object({ type: z.literal("find-mentions"), query: MentionQuery }),
  z.object({ type: z.literal("attach-mention"), mention: Mention }),
  /** Asks for the values of a variable. Answered with `variable-values`, unless a later one comes first. */
  z.object({
    type: z.literal("list-variable-values"),
    ...{ server, uri, variable, value },
    given: z.record(variable, value),
  }),
] as const;

/** Notes about background commands on disk, by which a later process learns of those that ended with their window. */

import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { hasEnded, ProcessIdentity, thisProcess } from "../../base/node/process-identity.ts";
import type { BackgroundCommand } from "../../chat/events.ts";
import { msg } from "../../l10n/l10n.ts";
import { PlainTextRenderer } from "./plain-text.ts";

const Note = z.object({
  id: z.string(),
  command: z.string(),
  startedAt: z.number(),
  /** Null if it ended when its session was closed. */
  owner: z.nullable(ProcessIdentity),
  outputFile: z.string(),
});
const Notes = z.object({ version: z.literal(1), begun: z.int(), commands: z.array(Note) });
type Notes = z.infer<typeof Notes>;

const tailBytes = 4_000;
const mostNotes = 40;

export interface LostCommand {
  shown: BackgroundCommand;
  outputFile: string;
}

export interface BackgroundNotes {
  /** Number of background commands that the session has begun, so that no id stands for two of them. */
  readonly begun: number;
  add(command: Pick<BackgroundCommand, "id" | "command" | "startedAt">, outputFile: string): void;
  /** `withSession`: it was ended because its session was closed. */
  ended(id: string, withSession: boolean): void;
  /** Returns commands that ended with their window. `take`: they have been told and are forgotten. */
  lost(take: boolean): LostCommand[];
}

export const noBackgroundNotes: BackgroundNotes = { begun: 0, add() {}, ended() {}, lost: () => [] };

/** `folder` is that of the session's long outputs, and is created on first use. */
export function backgroundNotes(folder: string): BackgroundNotes {
  const file = path.join(folder, "background.json");
  const read = (): Notes => {
    const text = existsSync(file) ? attempt(() => readFileSync(file, "utf8"), "") : "";
    return Notes.safeParse(parseJson(text)).data ?? { version: 1, begun: 0, commands: [] };
  };
  const change = (how: (notes: Notes) => Notes) =>
    attempt(() => {
      mkdirSync(folder, { recursive: true });
      // A process that is killed leaves the old notes.
      writeFileSync(`${file}.new`, JSON.stringify(how(read())), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }, undefined);
  return {
    get begun() {
      return read().begun;
    },
    add({ id, command, startedAt }, outputFile) {
      const note = { id, command, startedAt, outputFile, owner: thisProcess() };
      change(({ begun, commands }) => ({
        ...{ version: 1, begun: Math.max(begun, Number(id.replace(/\D+/, ""))) },
        commands: [...commands, note].slice(-mostNotes),
      }));
    },
    ended(id, withSession) {
      change((notes) => ({
        ...notes,
        commands: notes.commands.flatMap((note) => {
          if (note.id !== id) return [note];
          return withSession ? [{ ...note, owner: null }] : [];
        }),
      }));
    },
    lost(take) {
      const { commands } = read();
      const isLost = ({ owner }: z.infer<typeof Note>) => owner === null || hasEnded(owner);
      const found = commands.filter(isLost);
      if (take && found.length > 0) {
        change((notes) => ({ ...notes, commands: notes.commands.filter((note) => !isLost(note)) }));
      }
      return found.map((note) => ({ shown: shownAs(note), outputFile: note.outputFile }));
    },
  };
}

function shownAs({ id, command, startedAt, outputFile }: z.infer<typeof Note>): BackgroundCommand {
  let last = "";
  const lines = new PlainTextRenderer((text) => {
    last += text;
  });
  lines.push(tailOf(outputFile));
  lines.end();
  const state = { type: "ended", words: msg("ended with its window"), failed: true, at: Date.now() } as const;
  const shown = last.trimEnd().split("\n").slice(-20);
  return { id, command, startedAt, state, lines: shown.length, last: shown.join("\n") };
}

function tailOf(file: string): string {
  return attempt(() => {
    const handle = openSync(file, "r");
    try {
      const { size } = fstatSync(handle);
      const bytes = Buffer.alloc(Math.min(size, tailBytes));
      readSync(handle, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    } finally {
      closeSync(handle);
    }
  }, "");
}

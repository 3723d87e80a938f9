/**
 * Files and folders that hold the place of missing ones while commands run, so that something can be mounted there. Each process
 * notes what it holds, in a file that commands in the sandbox do not see: so none removes what another one still needs,
 * and the next one removes what a killed one left.
 */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { hasEnded, isThisProcess, ProcessIdentity, thisProcess } from "../../base/node/process-identity.ts";
import { isHeldContent, isHeldFolder, type ProtectedPlaces } from "./protected-places.ts";

const Note = z.extend(ProcessIdentity, {
  /** Containers that share a folder for temporary files count their processes differently. */
  namespace: z.string(),
  places: z.array(z.string().check(z.refine(path.isAbsolute))),
});
type Note = z.infer<typeof Note>;

const prefix = "rondo-sandbox-";
const noteEnding = ".held.json";

/** Numbers of commands that need a file or folder that did not exist, by its path. */
const held = new Map<string, number>();

/**
 * Creates what must not appear. Returns a function that removes it, if it is still as it was created, once no command
 * needs it.
 */
export function holdPlaces(places: readonly ProtectedPlaces[]): () => void {
  const created = places.flatMap((one) => one.missing);
  const missing = new Set(created.map(({ at }) => at));
  const others = heldByOthers();
  // Another command may have created it a moment ago.
  for (const at of places.flatMap((one) => one.readOnly)) if (held.has(at) || others.has(at)) missing.add(at);
  for (const at of missing) held.set(at, (held.get(at) ?? 0) + 1);
  const done = () => release(missing);
  try {
    if (missing.size > 0) saveNote();
    for (const { at, content } of created) {
      if (content === undefined) mkdirSync(at, { recursive: true });
      // Another process may have created it a moment ago.
      else attempt(() => writeFileSync(at, content, { flag: "wx" }), undefined);
    }
    return done;
  } catch (error) {
    done();
    throw error;
  }
}

function release(places: ReadonlySet<string>): void {
  for (const at of places) {
    const left = (held.get(at) ?? 1) - 1;
    if (left > 0) held.set(at, left);
    else held.delete(at);
  }
  const free = [...places].filter((at) => !held.has(at));
  if (free.length === 0) return;
  // Before the look at others, so that of two that end at the same moment at least one removes the folder.
  attempt(saveNote, undefined);
  removeHeld(free, heldByOthers(), true);
}

/** Returns the places that other living processes hold, and removes what those that were killed left. */
export function heldByOthers(): Set<string> {
  const notes = notesOfOthers();
  const living = notes.filter(({ note }) => !hasEnded(note));
  const places = new Set(living.flatMap(({ note }) => note.places));
  const needed = new Set([...places, ...held.keys()]);
  for (const { note, folder } of notes.filter((one) => !living.includes(one))) {
    removeHeld(note.places, needed, false);
    void removeLeftover(folder);
  }
  return places;
}

/** Private folders that are being removed. */
const leftovers = new Set<string>();

/** Does not make the command wait: a private folder may contain the caches of package managers. */
async function removeLeftover(folder: string): Promise<void> {
  if (leftovers.has(folder)) return;
  leftovers.add(folder);
  try {
    await rm(folder, { recursive: true, force: true });
    // Last, so that it is tried again if this process ends before.
    await rm(noteOf(folder), { force: true });
  } catch {
    // The next process tries again.
  }
}

function notesOfOthers(): { note: Note; folder: string }[] {
  const namespace = processNamespace();
  const names = attempt(() => readdirSync(os.tmpdir()), []);
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(noteEnding))
    .flatMap((name) => {
      const folder = path.join(os.tmpdir(), name.slice(0, -noteEnding.length));
      const note = readNote(noteOf(folder));
      return note && note.namespace === namespace && !isOwn(note) ? [{ note, folder }] : [];
    });
}

/** Folders for temporary files are open to all users, so only this user's notes count. */
function readNote(file: string): Note | undefined {
  return attempt(() => {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.()) return undefined;
    return Note.safeParse(parseJson(readFileSync(file, "utf8"))).data;
  }, undefined);
}

function saveNote(): void {
  const note: Note = { ...thisProcess(), namespace: processNamespace(), places: [...held.keys()] };
  const file = noteOf(privateFolder());
  // Others never read half a note.
  writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function removeHeld(places: readonly string[], needed: ReadonlySet<string>, isOwn: boolean): void {
  for (const at of places.filter((one) => !needed.has(one)))
    attempt(() => {
      // If something was put there from outside, it stays.
      if (!lstatSync(at).isFile()) {
        // Nobody but this process knows about folders of other names that they held a place.
        if (isOwn || isHeldFolder(at)) rmdirSync(at);
      } else if (isHeldContent(at, readFileSync(at, "utf8"))) rmSync(at);
    }, undefined);
}

let temporary: string | undefined;

/** Takes the place of `/tmp` in the sandbox, where other programs keep sockets and files. The same for all commands. */
export function privateFolder(): string {
  if (temporary !== undefined && lstatSync(temporary, { throwIfNoEntry: false })) return temporary;
  const created = mkdtempSync(path.join(os.tmpdir(), prefix));
  temporary = created;
  saveNote();
  process.once("exit", () => {
    removeHeld([...held.keys()], heldByOthers(), true);
    rmSync(created, { recursive: true, force: true });
    rmSync(noteOf(created), { force: true });
  });
  return created;
}

const noteOf = (folder: string): string => `${folder}${noteEnding}`;

const processNamespace = (): string => attempt(() => readlinkSync("/proc/self/ns/pid"), "");

/** Whether it is not the note of a process that has ended and had the same id. */
const isOwn = (note: Note): boolean => isThisProcess(note) && note.processStart === thisProcess().processStart;

/** Puts commands into a sandbox of the operating system: bubblewrap on Linux, seatbelt on macOS. */
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { statePlaces } from "../file-access/state-places.ts";
import type { CommandSandbox, SandboxMode } from "../host.ts";
import type { ShellInvocation } from "../run-command/shells.ts";
import {
  bubblewrapProblem,
  findBubblewrap,
  missingBubblewrap,
  missingSeatbelt,
  noSandboxOnWindows,
} from "./availability.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { heldByOthers, holdPlaces, privateFolder } from "./held-places.ts";
import { type HiddenPlaces, hiddenKeys, realPath, withoutSockets } from "./hidden-places.ts";
import { type ProtectedPlaces, protectedPlaces } from "./protected-places.ts";

/** The mode, in the environment of commands: tests that need the network can be left out. */
const modeVariable = "RONDO_SANDBOX";

export interface SandboxedInvocation extends ShellInvocation {
  env: NodeJS.ProcessEnv;
  /** Whether the process that is started is the sandbox's own. */
  root: "ended" | "sandbox";
  /** To be called when the command has ended. */
  done(): void;
}

interface CommandToWrap {
  shell: ShellInvocation;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** The sandbox cannot be had. The message says what to do. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

type ActiveMode = CommandSandbox["mode"];

interface FoldersFound {
  /** Absolute, with links resolved. */
  folders: string[];
  places: ProtectedPlaces[];
}

/** One for all commands of a host. `folders`: those of the workspace; called for each command. `state`: where Rondo keeps its own. */
export class Sandbox {
  readonly #mode: () => SandboxMode;
  readonly #folders: () => readonly string[];
  readonly #state: readonly string[];
  readonly #works = new Set<SandboxMode>();

  constructor(mode: () => SandboxMode, folders: () => readonly string[], state: readonly string[]) {
    this.#state = state;
    this.#mode = mode;
    this.#folders = folders;
    setImmediate(() => this.#removeLeftovers()).unref();
  }

  /** Undefined when it is switched off. */
  get current(): CommandSandbox | undefined {
    const mode = this.#mode();
    return mode === "off" ? undefined : { mode, problem: () => this.#problem(mode, this.#look()) };
  }

  /** @throws SandboxError */
  async wrap(mode: ActiveMode, command: CommandToWrap): Promise<SandboxedInvocation> {
    this.#removeLeftovers();
    const found = this.#look();
    const problem = await this.#problem(mode, found);
    if (problem !== undefined) throw new SandboxError(`The sandbox (${mode}) cannot be used: ${problem}`);
    const inside = { ...command, env: { ...withoutSockets(command.env), [modeVariable]: mode } };
    const network = mode === "workspace-network";
    return process.platform === "darwin" ? seatbelt(inside, found, network) : bubblewrap(inside, found, network);
  }

  /** Removes what an earlier process left in the workspace when it was killed. */
  #removeLeftovers(): void {
    if (process.platform === "linux" && this.#mode() !== "off") heldByOthers();
  }

  /** A problem is looked at again each time: it may have been solved. */
  async #problem(mode: ActiveMode, { folders, places }: FoldersFound): Promise<string | undefined> {
    if (folders.includes("/")) return "the workspace is the whole file system. Open the folder of a project.";
    const [link] = places.flatMap(({ links }) => links);
    if (link !== undefined) return `${link} is a symbolic link, which it cannot protect. Put a folder or file there.`;
    if (this.#works.has(mode)) return undefined;
    const problem = await systemProblem(folders, mode);
    if (problem === undefined) this.#works.add(mode);
    return problem;
  }

  #look(): FoldersFound {
    const folders = [...new Set(this.#folders().map(realPath))].filter((folder) => folder !== undefined);
    const state = statePlaces(this.#state);
    return { folders, places: folders.map((folder) => protectedPlaces(folder, folders, state)) };
  }
}

function seatbelt({ shell, env }: CommandToWrap, found: FoldersFound, network: boolean): SandboxedInvocation {
  const temporary = ["/tmp", "/var/tmp", os.tmpdir()].flatMap((folder) => realPath(folder) ?? []);
  const profile = seatbeltProfile({ network, ...found, temporary, keys: hiddenKeys() });
  const args = ["-p", profile, shell.file, ...shell.args];
  return { file: seatbeltProgram, args, verbatim: false, env, root: "ended", done() {} };
}

function bubblewrap({ shell, cwd, env }: CommandToWrap, found: FoldersFound, network: boolean): SandboxedInvocation {
  const file = findBubblewrap(found.folders);
  if (file === undefined) throw new SandboxError(`The sandbox cannot be used: ${missingBubblewrap}`);
  const programs = [...(env["PATH"] ?? "").split(":"), path.dirname(shell.file)].filter(path.isAbsolute);
  const done = holdPlaces(found.places);
  const walls = bubblewrapArguments({ network, ...found, temporary: privateFolder(), programs }, realPath(cwd) ?? cwd);
  return { file, args: [...walls, shell.file, ...shell.args], verbatim: false, env, root: "sandbox", done };
}

/** Returns why this system has no sandbox, and what to do. */
export async function systemProblem(folders: readonly string[], mode: ActiveMode): Promise<string | undefined> {
  switch (process.platform) {
    case "linux":
      return await bubblewrapProblem(findBubblewrap(folders), mode === "workspace-network");
    case "darwin":
      return existsSync(seatbeltProgram) ? undefined : missingSeatbelt;
    case "win32":
      return noSandboxOnWindows;
    default:
      return `there is none for ${process.platform}.`;
  }
}

// The profile of seatbelt, with which `sandbox-exec` runs a command. macOS. The last matching rule wins. Apple documents
// neither; the operations are those of the profiles in /System/Library/Sandbox/Profiles.

interface SeatbeltWalls {
  network: boolean;
  /** Absolute, with links resolved. */
  folders: readonly string[];
  places: readonly ProtectedPlaces[];
  /** Folders for temporary files. */
  temporary: readonly string[];
  keys: HiddenPlaces;
}

const seatbeltProgram = "/usr/bin/sandbox-exec";

export function seatbeltProfile({ network, folders, places, temporary, keys }: SeatbeltWalls): string {
  const below = (paths: readonly string[]) => paths.map((at) => ` (subpath ${quoted(at)})`).join("");
  const exactly = (paths: readonly string[]) => paths.map((at) => ` (literal ${quoted(at)})`).join("");
  const readOnly = places.flatMap((one) => one.readOnly);
  const missing = places.flatMap((one) => one.missing);
  const pinned = places.flatMap((one) => one.pinned);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write*${below([...folders, ...temporary])} (literal "/dev/null") (regex #"^/dev/(tty|pty|fd/|std))"))`,
    ...(readOnly.length > 0 ? [`(deny file-write*${below(readOnly)})`] : []),
    // What does not exist has no case of its own yet.
    ...missing.map(({ at }) => `(deny file-write* (regex ${inAnyCase(at)}))`),
    ...(pinned.length > 0 ? [`(deny file-write-unlink${exactly(pinned)})`] : []),
    ...(keys.folders.length > 0 ? [`(deny file-read*${below(keys.folders)})`] : []),
    ...(keys.files.length > 0 ? [`(deny file-read*${exactly(keys.files)})`] : []),
    // Otherwise `open` and `osascript` would have other programs do it, outside of the sandbox.
    "(deny appleevent-send)",
    "(deny lsopen)",
    "(deny job-creation)",
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd")',
    '  (global-name "com.apple.CoreServices.coreservicesd") (global-name "com.apple.coreservices.appleevents"))',
    // The environments of other processes.
    "(deny process-info* (target others))",
    '(deny sysctl-read (sysctl-name-prefix "kern.procargs"))',
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    // Sockets in the file system, too, such as Docker's.
    ...(network ? ["(deny network-outbound (remote unix-socket))"] : ["(deny network*)"]),
  ].join("\n");
}

/** A pattern for a path and all below it, whose last name may be written in any case. Its folder exists. */
function inAnyCase(at: string): string {
  // No quote may be in a pattern; the dot stands for any character.
  const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('"', ".");
  const letter = (one: string) => `[${one.toLowerCase()}${one.toUpperCase()}]`;
  const { dir, base } = path.parse(at);
  return `#"^${plain(dir)}/${plain(base).replace(/[a-z]/gi, letter)}(/|$)"`;
}

/** As a string of the profile's language. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

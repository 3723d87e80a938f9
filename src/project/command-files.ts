/**
 * Loads commands from Markdown files: those below `.rondo/commands` and `.claude/commands`, and skills.
 * They are text for the model and nothing else: fields that would widen permissions (`allowed-tools`) and lines that
 * would run (`` !`command` ``) have no effect. The fields and places in a template are those of Claude Code's commands:
 * https://code.claude.com/docs/en/slash-commands
 */

import path from "node:path";
import type { CommandChoice } from "../chat/slash-command.ts";
import { msg } from "../l10n/l10n.ts";
import {
  type ConfigPlaces,
  type ConfigRoot,
  configRoots,
  listFolders,
  listMarkdown,
} from "../tools/node-host/config-files.ts";
import { readMarkdownFile, textIn } from "./prompt-file.ts";
import { skillsOf, toldPath } from "./skill-files.ts";

export interface PromptCommand extends CommandChoice {
  /** Its file, as tools find it; empty for Rondo's own. */
  path: string;
  /** What the model gets, with places for the arguments. */
  template: string;
}

const folders = [".rondo/commands", ".claude/commands"];

/** Returns the commands by name. The nearest one of a name counts; a command counts before a skill. */
export function loadCommands(places: ConfigPlaces): { commands: Map<string, PromptCommand>; problems: string[] } {
  const roots = configRoots(places);
  const problems: string[] = [];
  const commands = new Map<string, PromptCommand>();
  for (const root of roots) {
    for (const { name, file } of folders.flatMap((folder) => filesOf(root, folder, problems))) {
      const found = readMarkdownFile(root, file);
      if (found.type === "missing") continue;
      if (found.type === "broken") {
        problems.push(msg("The command in {0}{1} cannot be used: {2}.", root.prefix, file, found.why));
        continue;
      }
      const { data, body } = found.markdown;
      if (commands.has(name)) continue;
      commands.set(name, {
        name,
        description: textIn(data, "description") || firstLine(body),
        hint: textIn(data, "argument-hint"),
        source: root.prefix + file,
        path: toldPath(root, roots, file),
        template: body,
      });
    }
  }
  const skills = skillsOf(roots);
  for (const { name, description, hint, shown, path: file, body, isForUser } of skills.skills) {
    if (!isForUser || commands.has(name)) continue;
    commands.set(name, { name, description, hint, source: shown, path: file, template: body });
  }
  return { commands, problems: [...problems, ...skills.problems] };
}

/** Folders below that for commands that are looked into: links may lead in circles. */
const maxDepth = 4;
const maxFolders = 300;

/** A file in a subfolder is named after both: `frontend/component.md` is "frontend:component". */
function filesOf(root: ConfigRoot, folder: string, problems: string[]): { name: string; file: string }[] {
  return foldersBelow(root, folder, problems).flatMap(({ prefix, folder: place }) => {
    const listed = listMarkdown(root, place);
    problems.push(...listed.problems);
    return listed.names.flatMap((file) => {
      const name = prefix + path.posix.basename(file, ".md");
      if (/^[\p{L}\p{N}][\p{L}\p{N}:_.-]*$/u.test(name)) return [{ name, file }];
      // Other signs are common at the beginning of files that are no commands: `_parts.md`.
      if (/\s/.test(name)) {
        const why = msg("its name has a space");
        problems.push(msg("The command in {0}{1} cannot be used: {2}.", root.prefix, file, why));
      }
      return [];
    });
  });
}

interface CommandFolder {
  /** Of the names of its commands. */
  prefix: string;
  folder: string;
}

/** Returns the folder and those below it, level by level. */
function foldersBelow(root: ConfigRoot, folder: string, problems: string[]): CommandFolder[] {
  let level: CommandFolder[] = [{ prefix: "", folder }];
  const all = [...level];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: CommandFolder[] = [];
    for (const at of level) {
      if (all.length + next.length >= maxFolders) break;
      const inner = listFolders(root, at.folder);
      problems.push(...inner.problems);
      next.push(...inner.names.map((one) => ({ prefix: `${at.prefix}${path.posix.basename(one)}:`, folder: one })));
    }
    level = next.slice(0, maxFolders - all.length);
    all.push(...level);
  }
  return all;
}

function firstLine(body: string): string {
  const [line = ""] = body.split("\n");
  return line.replace(/^#+\s+/, "").slice(0, 200);
}

/**
 * Loads skills: `.rondo/skills/NAME/SKILL.md` and `.claude/skills/NAME/SKILL.md`. The model is told name and
 * description, and reads the file when a task fits. The fields are those of https://agentskills.io/specification and
 * https://code.claude.com/docs/en/skills.
 */

import path from "node:path";
import { msg } from "../l10n/l10n.ts";
import type { Project } from "../loop/setup/project.ts";
import { type ConfigRoot, listFolders } from "../tools/node-host/config-files.ts";
import { flagIn, readMarkdownFile, textIn } from "./prompt-file.ts";

interface Skill {
  name: string;
  description: string;
  /** Of its arguments; empty if it says none. */
  hint: string;
  /** For the model, as its tools find it. */
  path: string;
  /** For display. */
  shown: string;
  body: string;
  isForModel: boolean;
  isForUser: boolean;
}

/** Maximum characters of what the model is told of all skills: about 4,000 tokens of each request. */
const maxTold = 16_000;

/** The nearest skill of a name counts. */
export function skillsOf(roots: readonly ConfigRoot[]): { skills: Skill[]; problems: string[] } {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const root of roots) {
    const listed = [".rondo/skills", ".claude/skills"].map((folder) => listFolders(root, folder));
    problems.push(...listed.flatMap((one) => one.problems));
    for (const folder of listed.flatMap(({ names }) => names)) {
      const file = `${folder}/SKILL.md`;
      const found = readMarkdownFile(root, file);
      if (found.type === "missing") continue;
      if (found.type === "broken") {
        problems.push(msg("The skill in {0}{1} cannot be used: {2}.", root.prefix, file, found.why));
        continue;
      }
      const { data, body } = found.markdown;
      const name = textIn(data, "name") || path.posix.basename(folder);
      const description = textIn(data, "description");
      if (!/^[\p{L}\p{N}][\p{L}\p{N}:_.-]*$/u.test(name) || description === "") {
        problems.push(
          msg(
            "The skill in {0}{1} cannot be used: it needs a description, and a name without spaces.",
            root.prefix,
            file,
          ),
        );
        continue;
      }
      if (skills.has(name)) continue;
      skills.set(name, {
        ...{ name, description, body, shown: root.prefix + file },
        hint: textIn(data, "argument-hint"),
        path: toldPath(root, roots, file),
        isForModel: !flagIn(data, "disable-model-invocation", false),
        isForUser: flagIn(data, "user-invocable", true),
      });
    }
  }
  return { skills: [...skills.values()], problems };
}

/** Returns a path that tools find: relative to the first folder of the workspace, where they begin, else absolute. */
export function toldPath(root: ConfigRoot, roots: readonly ConfigRoot[], file: string): string {
  return root.source === "workspace" && root === roots[0] ? file : path.join(root.folder, file);
}

/** Returns what the model is told of. Those that no longer fit are left out, and said. */
export function toldSkills(roots: readonly ConfigRoot[]): { skills: Project["skills"]; problems: string[] } {
  const { skills, problems } = skillsOf(roots);
  const told: Skill[] = [];
  const out: string[] = [];
  let used = 0;
  for (const skill of skills) {
    if (!skill.isForModel) continue;
    used += skill.name.length + skill.description.length + skill.path.length;
    if (used <= maxTold) told.push(skill);
    else out.push(skill.name);
  }
  if (out.length > 0) {
    problems.push(msg("The model is not told of these skills, as there are too many: {0}.", out.join(", ")));
  }
  return { skills: told.map(({ name, description, path: file }) => ({ name, description, path: file })), problems };
}

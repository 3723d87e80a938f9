/** What the workspace and the user bring to a session: agents, rules, memory, skills and hooks. */

import { type Hooks, noHooks } from "../loop/hooks.ts";
import { type Choices, presentMode } from "../loop/setup/agent-config.ts";
import type { Project } from "../loop/setup/project.ts";
import { commandHooks } from "../project/command-hooks.ts";
import { type HookOptions, loadHooks } from "../project/hook-settings.ts";
import { loadProject } from "../project/project.ts";
import type { ConfigPlaces } from "../tools/node-host/config-files.ts";

interface HookedSession {
  sessionID: string;
  /** The folder in which hooks run. */
  cwd: string;
  /** Path of the record; "" when nothing is recorded. */
  transcriptPath: string;
  choices: Choices;
  env: NodeJS.ProcessEnv;
  /** Variables that the user lets through to hooks. */
  passed: NodeJS.ProcessEnv;
  note(message: string): void;
}

export class ProjectReader {
  readonly #report: (problem: string) => void;
  readonly #reported = new Set<string>();

  /** `report` gets each problem once. */
  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  /** Reads the files again at each call. */
  load(places: ConfigPlaces): Project {
    const project = loadProject(places);
    this.report(project.problems);
    return project;
  }

  /** Reads the hooks, which stay the same for the session. `skipped`: see `HookSettings`. */
  hooks(settings: HookOptions, session: HookedSession): { hooks: Hooks; skipped: readonly string[] } {
    const loaded = loadHooks(settings);
    this.report(loaded.problems);
    const { skipped } = loaded;
    if (loaded.hooks.size === 0) return { hooks: noHooks, skipped };
    const { sessionID, cwd, transcriptPath, choices, env, passed, note } = session;
    const context = { sessionID, cwd, transcriptPath, env, passed, onNote: note };
    const permissionMode = () => presentMode(choices);
    return { hooks: commandHooks(loaded, { ...context, permissionMode }), skipped };
  }

  report(problems: readonly string[]): void {
    for (const problem of problems) {
      if (!this.#reported.has(problem)) this.#report(problem);
      this.#reported.add(problem);
    }
  }
}

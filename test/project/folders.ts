/** A workspace folder and a home folder on disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Project } from "../../src/loop/setup/project.ts";
import { type HookSettings, loadHooks } from "../../src/project/hook-settings.ts";
import { loadProject } from "../../src/project/project.ts";

import { usualBoundary } from "../read-boundary.ts";

export class TestFolders {
  /** Holds both, and outside files. */
  readonly root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "project-test-")));
  readonly work = path.join(this.root, "work");
  readonly home = path.join(this.root, "home");

  constructor() {
    mkdirSync(this.work);
    mkdirSync(this.home);
  }

  /** `name` begins with `work/` or `home/`, or is outside both. */
  put(name: string, content: string | Uint8Array): string {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  /** `target` is a name as in `put`, or an absolute path. */
  link(name: string, target: string): void {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    symlinkSync(path.resolve(this.root, target), file);
  }

  load({ trusted = true, folders = [this.work], boundary = usualBoundary } = {}): Project {
    return loadProject({ folders, home: this.home, trusted, boundary });
  }

  hooks({ trusted = true, files = true, own = undefined as unknown } = {}): HookSettings {
    return loadHooks({ folders: [this.work], home: this.home, files, trusted, boundary: usualBoundary, own });
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

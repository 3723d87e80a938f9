/** Reports for the review what the agent has changed, except for files that came from another commit. */
import type { FoundFile } from "../files/file-state.ts";
import type { BlobStore } from "../store/blobs.ts";
import type { Transition } from "../store/change-log.ts";
import { GitCommits } from "./git-commits.ts";
import { ChangedContents, type StepFiles } from "./step-files.ts";

/** Called with the files that the agent has changed. Undefined: nobody reviews. */
export type StepReviewer = ((files: StepFiles) => void) | undefined;

/** Changes of the agent to review. */
interface AgentTransitions {
  source: StepFiles["source"];
  changes: readonly Transition[];
  /** Paths that tools have written by name. */
  named: ReadonlySet<string>;
  folders: StepFiles["folders"];
}

export class StepReview {
  readonly #reviewer: StepReviewer;
  /** Contents that the files have after the step. */
  readonly #written: ChangedContents;
  readonly #commits: readonly GitCommits[];

  constructor(roots: readonly string[], blobs: BlobStore, reviewer: StepReviewer) {
    this.#reviewer = reviewer;
    this.#written = new ChangedContents(roots, blobs);
    this.#commits = roots.map((root) => new GitCommits(root));
  }

  get isWanted(): boolean {
    return this.#reviewer !== undefined;
  }

  /** Finds the repositories of the roots. */
  open(): void {
    for (const commits of this.#commits) commits.open();
  }

  /** Call it before a command: what it checks out is not reviewed. */
  beginCommand(): void {
    for (const commits of this.#commits) commits.begin();
  }

  /** Forgets contents that were noted before. */
  clear(): void {
    this.#written.clear();
  }

  /** Keeps what a scan or a tool's write has left, so that nothing is read twice. */
  note(file: string, found: FoundFile): void {
    this.#written.note(file, found);
  }

  async report({ source, changes, named, folders }: AgentTransitions): Promise<void> {
    if (!this.#reviewer || changes.length === 0) return;
    const { files, left } = this.#written.files(changes, named);
    const taken = await Promise.all(this.#commits.map((commits) => commits.taken(files)));
    const reviewed = files.filter((file) => file.isNamed || !taken.some((paths) => paths.has(file.path)));
    if (reviewed.length > 0 || left > 0) this.#reviewer({ source, files: reviewed, folders, left });
  }
}

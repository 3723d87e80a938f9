/** Files that were to be attached and cannot be: shown beside those that are, until the message is sent. */
import type { RefusedFile } from "../../src/chat/attach.ts";

class RefusedFiles {
  all = $state.raw<readonly RefusedFile[]>([]);

  /** One that was refused before comes once, with its newest reason. */
  add(file: RefusedFile): void {
    this.remove(file.name);
    this.all = [...this.all, file];
  }

  remove(name: string): void {
    this.all = this.all.filter((one) => one.name !== name);
  }

  clear(): void {
    this.all = [];
  }
}

export const refusedFiles = new RefusedFiles();

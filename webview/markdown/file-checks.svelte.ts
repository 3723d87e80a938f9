/** Which of the files that the log links to do not exist. The host looks for those whose links are drawn. */
import { send } from "../panel/vscode-api.ts";

/** Links that are drawn within this time are asked about together. */
const gatherMs = 100;
/** A file may come or go: after this time it is looked for again when a link to it is drawn. */
const knownForMs = 10_000;
/** The host refuses more in one message. */
const mostAtOnce = 200;

class FileChecks {
  #missing = $state.raw<ReadonlySet<string>>(new Set());
  readonly #askedAt = new Map<string, number>();
  readonly #waiting = new Set<string>();
  #timer = 0;

  isMissing(path: string): boolean {
    return this.#missing.has(path);
  }

  /** Has the file looked for, if that was not done lately. */
  check(path: string): void {
    const now = Date.now();
    if (now - (this.#askedAt.get(path) ?? Number.NEGATIVE_INFINITY) < knownForMs) return;
    this.#askedAt.set(path, now);
    this.#waiting.add(path);
    if (this.#waiting.size === 1) this.#timer = window.setTimeout(() => this.#ask(), gatherMs);
    else if (this.#waiting.size >= mostAtOnce) this.#ask();
  }

  /** Takes the host's answer. */
  take(asked: readonly string[], missing: readonly string[]): void {
    const others = [...this.#missing].filter((path) => !asked.includes(path));
    const isSame = others.length + missing.length === this.#missing.size && missing.every((one) => this.isMissing(one));
    if (!isSame) this.#missing = new Set([...others, ...missing]);
  }

  #ask(): void {
    clearTimeout(this.#timer);
    send({ type: "check-files", paths: [...this.#waiting] });
    this.#waiting.clear();
  }
}

export const fileChecks = new FileChecks();

interface Ending {
  dispose(): unknown;
}

/** Parts that are disposed of together, the newest first. A part that comes later is disposed of at once. */
export class Owned {
  readonly #parts: Ending[] = [];
  readonly #failed: (error: unknown) => void;
  #isOver = false;

  /** `failed` gets the error of a part that cannot be disposed of; the others are, all the same. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  add<T extends Ending>(part: T): T {
    if (this.#isOver) this.#end(part);
    else this.#parts.push(part);
    return part;
  }

  dispose(): void {
    this.#isOver = true;
    for (const part of this.#parts.splice(0).reverse()) this.#end(part);
  }

  #end(part: Ending): void {
    try {
      part.dispose();
    } catch (error) {
      this.#failed(error);
    }
  }
}

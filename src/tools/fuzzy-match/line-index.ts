/** Finds the lines of a text with `\n` line ends, without splitting it. */
export class LineIndex {
  readonly text: string;
  /** The start of each line; a final line end begins an empty line. */
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  get count(): number {
    return this.#starts.length;
  }

  start(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  end(line: number): number {
    return line + 1 < this.count ? this.start(line + 1) - 1 : this.text.length;
  }

  at(line: number): string {
    return this.text.slice(this.start(line), this.end(line));
  }

  /** Returns the line, from 0, that contains the character at `index`. */
  lineOf(index: number): number {
    let low = 0;
    let high = this.count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.start(middle) <= index) low = middle;
      else high = middle;
    }
    return low;
  }
}

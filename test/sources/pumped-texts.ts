/**
 * Texts in which a match begins again and again and never ends: "`[[[[`" for `\[[^\]]*\]`. An expression that looks for
 * the end from each beginning takes the square of their length.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Most patterns fail at one of these. */
const ends = ["", "\0", "\n\0", "/a"];
const usualCharacters = [..." \t\n\ra0A_-./\\\"'!="];
const maxSamples = 3;

/** Returns texts of about the length. */
export function pumpedTexts(source: string, flags: string, length: number): string[] {
  return new Beginnings(source, flags)
    .pumps()
    .flatMap((pump) => ends.map((end) => pump.repeat(Math.ceil(length / pump.length)) + end));
}

type Sequence = readonly AST.Element[];

class Beginnings {
  readonly #pattern: AST.Pattern;
  readonly #flags: string;
  readonly #characters: readonly string[];
  readonly #pumps = new Set<string>();

  constructor(source: string, flags: string) {
    this.#flags = flags.replace(/[gmy]/g, "");
    const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
    this.#pattern = new RegExpParser().parsePattern(source, 0, source.length, mode);
    this.#characters = [...new Set([...usualCharacters, ...source])];
  }

  pumps(): string[] {
    for (const { elements } of this.#pattern.alternatives) this.#addSequence(elements, "");
    return [...this.#pumps];
  }

  /** Adds what stands before each loop without a limit, and with one of its repetitions. */
  #addSequence(elements: Sequence, before: string): void {
    let beginning = before;
    for (const element of elements) {
      const isQuantifier = element.type === "Quantifier";
      const inner = isQuantifier ? element.element : element;
      if (isQuantifier && element.max === Number.POSITIVE_INFINITY) {
        for (const pump of [beginning, ...this.#samples(inner).map((sample) => beginning + sample)]) {
          if (pump !== "") this.#pumps.add(pump);
        }
      }
      if (inner.type === "Group" || inner.type === "CapturingGroup") {
        for (const alternative of inner.alternatives) this.#addSequence(alternative.elements, beginning);
      }
      beginning += this.#sample(element);
    }
  }

  #sample(element: AST.Element): string {
    if (element.type === "Quantifier") return this.#sample(element.element).repeat(element.min);
    return this.#samples(element)[0] ?? "";
  }

  /** Returns a few texts that an element matches. */
  #samples(element: AST.Element): string[] {
    switch (element.type) {
      case "Assertion":
      case "Backreference":
        return [];
      case "Quantifier":
        return this.#samples(element.element);
      case "Group":
      case "CapturingGroup":
        return element.alternatives.flatMap(({ elements }) => this.#variants(elements)).slice(0, maxSamples);
      default: {
        const one = new RegExp(`^(?:${element.raw})$`, this.#flags);
        return this.#characters.filter((character) => one.test(character)).slice(0, maxSamples);
      }
    }
  }

  /** Returns samples that differ in one element each. */
  #variants(elements: Sequence): string[] {
    const samples = elements.map((element) => this.#sample(element));
    const variants = elements.flatMap((element, at) =>
      this.#samples(element).map((sample) => samples.with(at, sample).join("")),
    );
    return [samples.join(""), ...variants];
  }
}

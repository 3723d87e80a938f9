/** Reads the lines of standard input. */
import process from "node:process";
import { addAbortSignal } from "node:stream";

/** Splits at line feeds only: `readline` also splits at U+2028 and U+2029, which a line of JSON may hold. */
export async function* inputLines(signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const chunk of signal ? addAbortSignal(signal, process.stdin) : process.stdin) {
    const [first = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first);
    for (const next of lines) {
      yield begun.join("");
      begun = [next];
    }
  }
  const last = begun.join("") + decoder.decode();
  if (last !== "") yield last;
}

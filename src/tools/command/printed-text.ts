/** The text that `printf` and `echo` print, which a shell may read as code. Pure. */
import { marks } from "./shell/pattern.ts";

/**
 * Returns what the program prints, with `marks.any` for what is not known; undefined for other programs. `words`: its
 * arguments. Source: printf(1) and echo(1), coreutils 9.1.
 */
export function printedText(program: string, words: readonly (string | undefined)[]): string | undefined {
  if (program === "echo") return words.map((word) => (word === undefined ? marks.any : withControls(word))).join(" ");
  if (program !== "printf") return undefined;
  const [format = marks.any, ...values] = words[0] === "--" ? words.slice(1) : words;
  const rest = [...values];
  let text = "";
  // The format is used again for values that are left.
  for (let round = 0; round < 100 && (round === 0 || rest.length > 0); round++) {
    const before = rest.length;
    text += withControls(format).replace(/%(?:%|[-+ #\d.]{0,9}([a-zA-Z]))/g, (_, kind) => {
      if (kind === undefined) return "%";
      const value = rest.length > 0 ? rest.shift() : "";
      return value === undefined ? marks.any : kind === "b" ? withControls(value) : value;
    });
    if (rest.length === before) break;
  }
  return text;
}

const controls: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "",
  b: "",
  e: "",
  f: "",
};

/** Replaces backslash escapes by the characters that they stand for. */
function withControls(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|0?([0-7]{1,3})|u([\da-fA-F]{1,4})|([ntr\\abef]))/g,
    (_, hex, octal, unicode, control) => {
      if (control !== undefined) return controls[control] ?? "";
      return String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? unicode, 16) : Number.parseInt(octal, 8));
    },
  );
}

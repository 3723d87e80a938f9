/** Programs that run code: a rule can name a script for them, but not code in their arguments. */

import { posix } from "node:path";
import { msg } from "../../../l10n/l10n.ts";
import { isFlag, type ProgramArguments } from "./arguments.ts";
import { eachOperand } from "./changes.ts";
import type { ChangedPath, NameSource, Programs } from "./program.ts";

const facts = { effect: msg("runs other code"), hasSubcommands: true, runsFile: true } as const;

export const interpreterPrograms: Programs = {
  "node nodejs": {
    ...facts,
    // Node.js 24: command-line options that run nothing else
    runsOtherCode: takesCode(
      `--no-warnings --trace-*  --experimental-* --enable-source-maps --watch --watch-path=* --inspect* --max-old-space-size=*
      --stack-trace-limit=* --unhandled-rejections=* --test* --check -c -v --conditions=*`,
    ),
    exceeds: (words) => {
      if (words[0] === "--test") return words.slice(1).some(isFlag);
      return !(words.length === 1 && words[0] === "-v") && runsCode(words);
    },
    allowed: ["node --version", "node a.ts", "node --test src"],
    asks: ["node -e x", "node --eval x", "node", "node --require ./x a.ts"],
  },
  "python pypy": {
    ...facts,
    isVersioned: true,
    // python(1) 3.11
    runsOtherCode: takesCode("-B -d -E -I -O -OO -q -s -S -u -v -b -bb -V -P --check-hash-based-pycs=* -m"),
    exceeds: (words) => (words[0] === "-m" ? words.length === 1 : runsCode(words)),
    readOptions: "-B -d -E -I -O -q -s -S -u -v -b -P -W= -X=",
    subcommands: { "-m": { hasSubcommands: true } },
    allowed: ["python3 --version", "python3.12 a.py", "python -m pytest"],
    asks: ["python3 -c x", "python3", "python3 -i a.py"],
  },
  "perl ruby": {
    ...facts,
    isVersioned: true,
    runsOtherCode: runsCode,
    changes: changedInPlace,
    allowed: ["ruby a.rb"],
    asks: ["perl -e x", "ruby -e x", "perl -pi a.ts"],
  },
  "php lua": {
    ...facts,
    isVersioned: true,
    runsOtherCode: runsCode,
    allowed: ["php --version"],
    asks: ["php -r x"],
  },
  [`tsx ts-node luajit rscript r julia groovy scala kotlin ghci runghc runhaskell elixir iex erl escript guile
      octave clojure clj raku dotnet-script`]: {
    ...facts,
    runsOtherCode: runsCode,
    allowed: ["tsx a.ts"],
    asks: ["tsx -e x"],
  },
  java: { ...facts, exceeds: runsCode, asks: ["java -cp x y", "java -jar x.jar"] },
  deno: {
    ...facts,
    runsOtherCode: ([first = ""]) => /^(eval|repl|-.*|)$/.test(first) && !isInformation(first, []),
    exceeds: ([first = "", ...rest]) =>
      !/^(test|fmt|lint|check|task|run|install|info|bench)$/.test(first) && !isInformation(first, rest),
    subcommands: { "run task": { hasSubcommands: true } },
    allowed: ["deno task build"],
    asks: ["deno eval x", "deno a.ts"],
  },
  bun: {
    effect: msg("runs scripts of the project"),
    runsOtherCode: (words) => /^(x|exec|repl)$/.test(words[0] ?? "") || runsCode(words),
    subcommands: { "run task": { hasSubcommands: true } },
    allowed: ["bun test", "bun run build"],
    asks: ["bun x y", "bun -e x"],
  },
  swift: {
    ...facts,
    runsOtherCode: ([first = ""]) => /^(repl|-.*|)$/.test(first) && !isInformation(first, []),
    exceeds: ([first = "", ...rest]) => !/^(build|test|package|run)$/.test(first) && !isInformation(first, rest),
    allowed: ["swift build"],
    asks: ["swift a.swift"],
  },
  // `sh`, `bash` and `dash` are handled before: see wrappers.
  "rbash zsh ksh mksh fish csh tcsh ash xonsh nu elvish": {
    ...facts,
    isVersioned: true,
    runsOtherCode: runsCode,
    asks: ["zsh -c ls", "fish -c ls"],
  },
};

/** perl(1) 5.36, ruby(1) 3.1: `-i` changes the files. */
function changedInPlace(words: ProgramArguments): ChangedPath[] | undefined {
  const isInPlace = words.some((word) => /^-[a-zA-Z0]*i/.test(word));
  return isInPlace ? eachOperand("-e= -E= -I= -r=")(words) : undefined;
}

function isInformation(first: string, rest: ProgramArguments): boolean {
  return /^(--version|-V|--help)$/.test(first) && rest.length === 0;
}

/** Whether it runs code in its arguments or from standard input. `harmless`: options that do neither. */
function takesCode(harmless: string): (words: ProgramArguments) => boolean {
  const known = harmless.split(/\s+/).map((option) => option.replaceAll("*", ""));
  const isHarmless = (word: string) =>
    known.some((option) => (option.length > 3 ? word.startsWith(option) : word === option));
  return (words) => {
    if (/^(--version|-V|--help)$/.test(words[0] ?? "")) return words.length > 1;
    const first = words.findIndex((word) => !isFlag(word) || word === "-m" || word === "--test");
    const options = first < 0 ? words : words.slice(0, first);
    return isStream(words[first]) || (first < 0 && !words.includes("-v")) || !options.every(isHarmless);
  };
}

/** Whether it runs anything but a named file: code, standard input, or a module that is loaded first. */
export function runsCode([first = "", ...rest]: ProgramArguments): boolean {
  if (/^(--version|-V|--help)$/.test(first)) return rest.length > 0;
  return first === "" || /^[-+]/.test(first) || isStream(first);
}

/** Whether it names what another program writes, as in `bash <(echo ls)`. */
export function isStream(word = ""): boolean {
  return word === "-" || /^\/+(dev\/(stdin$|fd\/)|proc\/)/.test(posix.normalize(word));
}

/** `lists`: the files that hold names of files. */
export function sourceOfNames(lists: readonly string[]): NameSource | undefined {
  if (lists.length === 0) return undefined;
  return lists.every(isStream) ? "input" : "file";
}

/** Whether a word is a stream or gives one to an option: `-f -`, `-sf-`, `-f/dev/stdin`, `--file=-`. */
export function namesStream(word: string): boolean {
  if (isStream(word)) return true;
  const [equals, slash] = [word.indexOf("="), word.indexOf("/")];
  if (equals >= 0) return isStream(word.slice(equals + 1));
  return /^-\w/.test(word) && (word.endsWith("-") || (slash > 0 && isStream(word.slice(slash))));
}

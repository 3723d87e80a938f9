/** Programs that print, compare and convert text. */
import { msg } from "../../../l10n/l10n.ts";
import { hasArgument, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import { operandsOf } from "./changes.ts";
import { sourceOfNames } from "./interpreters.ts";
import type { ChangedPath, Programs } from "./program.ts";

export const textPrograms: Programs = {
  "echo printf true false seq sleep basename dirname pwd whoami uname nproc tty arch logname": {
    files: "ignored",
    allowed: ["echo /etc/hostname", "basename src/b.ts .ts", "printf '%s\\n' $x"],
  },
  [`cat head tail wc nl rev tac cmp comm cut tr fold fmt column paste join expand unexpand od hexdump strings md5sum
      sha1sum sha224sum sha256sum sha512sum b2sum cksum sum shasum md5 zcat bzcat xzcat base32 tsort numfmt pr factor`]:
    {
      files: "read",
      allowed: ["cat a.ts src/b.ts", "tail -n 5 a.ts", "tr a-z A-Z < a.ts"],
      asks: ["cat .env", "head .e*", "cat /etc/passwd"],
    },
  sort: {
    files: "read",
    globsCanBeOptions: true,
    runsOtherCode: "--compress-program",
    exceeds: "--files0-from",
    readsNamesFrom: (words) => sourceOfNames(optionValues("--files0-from", words)),
    writes: "-o --output",
    allowed: ["sort -u a.ts", "sort -o - a.ts"],
    asks: ["sort -ox a.ts", "sort --outp x a.ts", "sort -S1b --compress-prog ./x a.ts"],
  },
  uniq: {
    files: "read",
    globsCanBeOptions: true,
    writes: (words) => {
      const isNumber = (word: string, before = "") => /^\d+$/.test(word) && /^-[fsw]$/.test(before);
      return plainWords(words.filter((word, index) => !isNumber(word, words[index - 1]))).slice(1, 2);
    },
    allowed: ["uniq -c a.ts", "uniq -f 1 a.ts"],
    asks: ["uniq a.ts x"],
  },
  xxd: {
    files: "read",
    writes: (words) => plainWords(words.filter((_, index) => !/^-[closg]$/.test(words[index - 1] ?? ""))).slice(1, 2),
    allowed: ["xxd -l 16 a.ts"],
    asks: ["xxd -r a.ts x"],
  },
  "shuf iconv base64": { files: "read", writes: "-o --output", allowed: ["shuf -n 3 a.ts"], asks: ["shuf --o=x a.ts"] },
  diff: {
    files: "read",
    // Links are followed wherever they lead.
    exceeds: (words) => hasArgument("-r --recursive", words) && !hasArgument("--no-dereference", words),
    readsRecursively: "-r -R -d --recursive --directories",
    allowed: ["diff a.ts src/b.ts"],
    asks: ["diff -r src other", "diff a.ts /etc/passwd"],
  },
  split: {
    effect: msg("writes files"),
    changes: changedPrefix,
    runsOtherCode: "--filter",
    allowed: ["split -l 5 a.ts"],
    asks: ["split --filter=rm a.ts"],
  },
  "bat|batcat": {
    files: "read",
    runsOtherCode: ([first = "", ...rest]) =>
      first === "cache" || hasArgument("--pager --config-file --diff --generate-config-file", [first, ...rest]),
    allowed: ["bat a.ts", "bat -p a.ts"],
    asks: ["bat cache --build", "bat --generate-config-file"],
  },
  delta: { runsOtherCode: "--pager" },
  less: {
    files: "read",
    globsCanBeOptions: true,
    // Its keys run commands, and environment variables name preprocessors for files.
    runsOtherCode: (words) => words.some((word) => /^[-+]/.test(word) && !/^-[NRSFXEi]+$/.test(word)),
    allowed: ["less -R a.ts"],
    asks: ["less +'!rm x' a.ts", "less -o x a.ts"],
  },
  more: { files: "read", runsOtherCode: "+*", allowed: ["more a.ts"], asks: ["more +/x a.ts"] },
  man: {
    runsOtherCode: "-P -H -K -C --pager --html --config-file --preprocessor --browser",
    allowed: ["man ls"],
    asks: ["man -P ./x ls", "man -H./x ls"],
  },
  info: { exceeds: "-o --output --restore --init-file" },
  xmllint: { files: "read", runsOtherCode: "--shell --output", asks: ["xmllint --shell a.ts"] },
};

/** split(1), coreutils 9.1: its files are named `xaa`, or begin with the second operand. */
function changedPrefix(words: ProgramArguments): ChangedPath[] {
  const [, prefix] = operandsOf(
    words,
    "-a= --suffix-length= -b= --bytes= -C= --line-bytes= -l= --lines= -n= --number= -t=",
  );
  return prefix === undefined ? [] : [{ path: prefix }];
}

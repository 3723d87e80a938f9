/** Programs that pack and unpack: which archive they write, and which words surely only read. */
import { hasLong, hasShort, isFlag, plainWords, valuesOf, type Words } from "./options.ts";

interface Packing {
  /** Archives and files that are written; undefined: nobody knows which. */
  writes: readonly string[] | undefined;
  /** Whether it reads all that is in the folders that it names. */
  packs: boolean;
}

const unknown: Packing = { writes: undefined, packs: false };
const unknownPack: Packing = { writes: undefined, packs: true };
const looking: Packing = { writes: [], packs: false };

/** What an archiver does; undefined for other programs. Options that are not known may do anything. */
export function packingOf(name: string, rest: Words): Packing | undefined {
  return Object.hasOwn(archivers, name) ? archivers[name]?.(rest) : undefined;
}

function tar(rest: Words): Packing {
  const words = withDash(rest);
  const mayPack = hasShort(words, "cru") || hasLong(words, "create", "append", "update");
  const other = mayPack ? unknownPack : unknown;
  if (!words.every((word, index) => !isFlag(word) || isTarFlag(word, words[index - 1]))) return other;
  const does = (letter: string, ...names: string[]) =>
    words.some((word) => names.includes(word) || (/^-[A-Za-z]/.test(word) && beforeValue(word).includes(letter)));
  const archives = valuesOf(words, "f", "file");
  // `host:a` is fetched from there.
  if (archives.some((archive) => archive.includes(":"))) return other;
  const packs = does("c", "--create") || does("r", "--append") || does("u", "--update");
  if (packs) return archives.length === 0 ? unknownPack : { writes: archives, packs };
  if (does("t", "--list")) return looking;
  const isShown = does("O", "--to-stdout");
  return does("x", "--extract") && isShown ? looking : other;
}

/** The oldest form has its letters without a dash, and their values after them. */
function withDash(rest: Words): Words {
  const [first = "", ...others] = rest;
  if (!/^[A-Za-z]+$/.test(first)) return rest;
  const letters = first.replace("f", "");
  return [`-${letters}${letters === first ? "" : "f"}`, ...others];
}

const tarLetters = "-[crutxvzjJaOkpmwnSBZ]*";
const tarFlag = new RegExp(
  `^(${tarLetters}[fC]?|${tarLetters}f[^-].*|--(create|append|update|list|extract|verbose|gzip|bzip2|xz|zstd)|--(auto-compress|to-stdout|no-recursion|exclude-vcs|wildcards)|--(file|directory|exclude|strip-components)(=.*)?)$`,
  "s",
);

/** Whether it is one that is known, and no value of the one before. */
function isTarFlag(word: string, before = ""): boolean {
  return tarFlag.test(word) && !/^-[A-Za-z]*[fC]$|^--(file|directory|exclude|strip-components)$/.test(before);
}

/** The letters of a cluster, without what is glued to the one that takes a value. */
function beforeValue(word: string): string {
  return word.replace(/(?<=[fC]).*$/s, "");
}

function zip(rest: Words): Packing {
  const [archive, ...others] = plainWords(rest);
  const isKnown = rest.every((word) => !isFlag(word) || /^-([rqjvDXyg\d]+|x)$/.test(word));
  // What `-x` leaves out follows it, and must not be taken for the archive.
  if (!isKnown || archive === undefined || others.length === 0 || rest.indexOf("-x") === 0) return unknownPack;
  if (rest.includes("-x") && rest.indexOf("-x") < rest.indexOf(archive)) return unknownPack;
  return { writes: [/\.[^/]*$|^-$/.test(archive) ? archive : `${archive}.zip`], packs: true };
}

function unzip(rest: Words): Packing {
  const flags = rest.filter(isFlag);
  return flags.some((flag) => /[ltpcvZz]/.test(flag)) && flags.every((flag) => /^-[ltpcvZzqC1]+$/.test(flag))
    ? looking
    : unknown;
}

function sevenZip([verb = "", ...rest]: Words): Packing {
  const isKnown = rest.every((word) => !/^[-@]/.test(word) || /^-(t\w+|mx=?\d|r|y|slt)$/.test(word));
  const [archive] = plainWords(rest);
  if (!isKnown || archive === undefined) return unknown;
  if (/^[lt]$/.test(verb)) return looking;
  // Others get an ending by what they are.
  return /^[au]$/.test(verb) && /\.[^/]*$/.test(archive) ? { writes: [archive], packs: true } : unknownPack;
}

function ar([letters = "", ...rest]: Words): Packing {
  const [archive] = rest;
  if (archive === undefined || rest.some((word) => /^[-@]/.test(word))) return unknown;
  if (/^-?[vO]*[tp][vO]*$/.test(letters)) return looking;
  return /^-?[rqcsuvDU]+$/.test(letters) ? { writes: [archive], packs: false } : unknown;
}

function cpio(rest: Words): Packing {
  const isListing = rest.some((word) => /^-[iv]*t|^--list$/.test(word));
  return isListing && rest.every((word) => /^(-[itv]+|--(list|extract|verbose|quiet))$/.test(word)) ? looking : unknown;
}

/** Only as a trial, and within this machine. */
function rsync(rest: Words): Packing {
  const known =
    /^(-[avrzhiPulptgoDcqn]+|--(dry-run|list-only|delete|stats|archive|recursive|verbose|itemize-changes)|--(exclude|include)=.*)$/;
  const isTrial = rest.some((word) => /^(-[a-zPD]*n[a-zPD]*|--dry-run|--list-only)$/.test(word));
  const isKnown = rest.every((word) => (isFlag(word) ? known.test(word) : !word.includes(":")));
  return isTrial && isKnown ? { writes: [], packs: true } : unknownPack;
}

/** One file for another, in its place. */
function compress(rest: Words): Packing {
  const flags = rest.filter(isFlag);
  const isKnown = flags.every((flag) =>
    /^(-[cdtlkfqvzn\d]+|--(stdout|to-stdout|test|list|keep|force|decompress|uncompress|quiet|verbose|best|fast))$/.test(
      flag,
    ),
  );
  if (!isKnown) return unknown;
  if (flags.some((flag) => /^(-[a-z\d]*[ctl]|--(stdout|to-stdout|test|list)$)/.test(flag))) return looking;
  const files = plainWords(rest);
  return { writes: files.flatMap((file) => [...new Set([file, unpacked(file)])]), packs: false };
}

function unpacked(file: string): string {
  return file.replace(/\.t[gbx]z2?$/, ".tar").replace(/\.(gz|z|bz2|xz|zst|lzma)$/i, "");
}

const archivers: Readonly<Record<string, (rest: Words) => Packing>> = {
  ...all("tar bsdtar gtar", tar),
  ...all("7z 7za 7zr 7zz", sevenZip),
  ...all("gzip gunzip pigz unpigz bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd", compress),
  ...all("pax unrar lz4 unlz4 brotli lzop compress uncompress", () => unknown),
  zip,
  unzip,
  ar,
  cpio,
  rsync,
};

function all<T>(names: string, one: T): Record<string, T> {
  return Object.fromEntries(names.split(" ").map((name) => [name, one]));
}

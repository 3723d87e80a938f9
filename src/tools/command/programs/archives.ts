/** Programs that pack and unpack. */
import { msg } from "../../../l10n/l10n.ts";
import { hasArgument, isFlag, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import { eachOperand, folderOf, localTarget } from "./changes.ts";
import { isStream, sourceOfNames } from "./interpreters.ts";
import { allFiles, type ChangedPath, type NameSource, type Program, type Programs } from "./program.ts";

interface ArchiveUse {
  /** Archives and files that are written; undefined: unknown. */
  writes: readonly string[] | undefined;
  /** Whether it reads everything in the named folders. */
  packs: boolean;
}

const unknown: ArchiveUse = { writes: undefined, packs: false };
const unknownPack: ArchiveUse = { writes: undefined, packs: true };
const looking: ArchiveUse = { writes: [], packs: false };

/** Returns the facts about an archiver. Options unknown to `packingOf` may do anything. */
function archiver(
  packingOf: (words: ProgramArguments) => ArchiveUse,
  readsNamesFrom: NonNullable<Program["readsNamesFrom"]> = () => undefined,
): Program {
  return {
    exceeds: (words) => packingOf(words).writes === undefined,
    writes: (words) => [...(packingOf(words).writes ?? [])],
    readsNamesFrom,
    readsRecursively: (words) =>
      packingOf(words).packs ? { ...allFiles, readsHere: readsNamesFrom(words) === undefined } : undefined,
  };
}

export const archivePrograms: Programs = {
  "tar bsdtar gtar": {
    ...archiver(tar, tarNames),
    changes: (words) => unpacked(/^-[A-Za-z]*x|^--(ex|ge)/, "-C --directory", withDash(words)),
    runsOtherCode: (words) => isTarCode(withDash(words)),
    allowed: ["tar tzf a.tgz", "tar -xOf a.tgz src/b.ts", "tar tf a.tgz --exclude '*.js'"],
    asks: ["tar xf a.tgz", "tar cf out.tar src", "tar tf host:a", "tar tf a.tgz --rsh-c=./x", "tar Af a.tar b.tar"],
  },
  // zip(1) 3.0
  zip: {
    ...archiver(zip, (words) => (words.some((word) => /^-\w*@$|^--names-stdin$/.test(word)) ? "input" : undefined)),
    runsOtherCode: "-T --test --unzip-command",
    asks: ["zip -r out src", "zip -m out.zip a.ts", "zip -T a b", "zip -x a.ts out.zip src"],
  },
  unzip: {
    effect: msg("writes files"),
    ...archiver(unzip),
    changes: (words) => unpacked(/^(?!-\w*[lptvZz])/, "-d", words),
    allowed: ["unzip -l a.zip", "unzip -p a.zip b.ts"],
    asks: ["unzip a.zip", "unzip -qo a.zip"],
  },
  "7z 7za 7zz": {
    // 7z(1) 16.02: `@list`, `-i@list`
    ...archiver(sevenZip, (words) => (words.some((word) => /^(?:-[ix]r?[-\d]?)?@/.test(word)) ? "file" : undefined)),
    changes: (words) => unpacked(/^[ex]$/, "-o", words),
    allowed: ["7z l a.7z"],
    asks: ["7z x a.7z", "7z a out.7z src", "7z l @names"],
  },
  ar: {
    ...archiver(ar),
    changes: (words) => unpacked(/^-?\w*x/, "--output", words),
    allowed: ["ar t a.a"],
    asks: ["ar rcs out.a a.ts", "ar x a.a", "ar -M"],
  },
  cpio: {
    // cpio(1) 2.13: to pack and to copy it reads names; to unpack, an archive.
    ...archiver(cpio, (words) => (hasArgument("-o -p --create --pass-through", words) ? "input" : undefined)),
    changes: (words) => (cpio(words) === looking ? [] : unpacked(/^-\w*[ip]|^--(ex|pa)/, "-D --directory", words)),
    runsOtherCode: "--rsh-command",
    allowed: ["cpio -it < a.ts"],
    asks: ["cpio -i < a.ts", "ls | cpio -o"],
  },
  rsync: {
    effect: msg("writes files"),
    ...archiver(rsync, (words) => sourceOfNames(optionValues("--files-from", words))),
    changes: (words) => (rsync(words).writes ? [] : localTarget(words)),
    runsOtherCode: "-e --rsh --rsync-path --daemon --config",
    allowed: ["rsync -avn src other"],
    asks: ["rsync -a src other", "rsync -an -e ./x src other", "rsync -an src host:x"],
  },
  "gzip gunzip pigz unpigz bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd": {
    ...archiver(compress),
    changes: (words) => (compress(words).writes?.length === 0 ? [] : eachOperand("-S= --suffix=")(words)),
    allowed: ["gzip -l a.gz", "gunzip -c a.gz", "xz -dc a.xz"],
    asks: ["gzip a.ts", "gunzip a.gz", "xz -k a.ts", "gzip -S.tl a.ts"],
  },
  "unrar lz4 unlz4 brotli uncompress": { exceeds: "always" },
};

/** `verb`: the first word of it that unpacks. `option`: that gives the folder. */
function unpacked(verb: RegExp, option: string, words: ProgramArguments): ChangedPath[] {
  return words.some((word) => verb.test(word)) ? folderOf(option, words) : [];
}

function tar(rest: ProgramArguments): ArchiveUse {
  const words = withDash(rest);
  const other = hasArgument("-c -r -u --create --append --update", words) ? unknownPack : unknown;
  if (!words.every((word, index) => !isFlag(word) || isTarFlag(word, words[index - 1]))) return other;
  const does = (letter: string, ...names: string[]) =>
    // The value of `f` and `C` is the next word.
    words.some(
      (word) => names.includes(word) || (/^-[A-Za-z]/.test(word) && word.split(/(?<=[fC])/)[0]?.includes(letter)),
    );
  const archives = optionValues("-f --file", words);
  // `host:a` is fetched from that host.
  if (archives.some((archive) => archive.includes(":"))) return other;
  const packs = does("c", "--create") || does("r", "--append") || does("u", "--update");
  if (packs) return archives.length === 0 ? unknownPack : { writes: archives, packs };
  if (does("t", "--list")) return looking;
  const isShown = does("O", "--to-stdout");
  return does("x", "--extract") && isShown ? looking : other;
}

/** Whether one of its options is a command (tar(1) 1.34): the last letters of a cluster, or abbreviated. */
function isTarCode(words: ProgramArguments): boolean {
  return hasArgument(
    `-I -F --to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command
    --rmt-command`,
    words
      .filter((_, index) => !/^-[A-Za-z]*[fC]$/.test(words[index - 1] ?? ""))
      .map((word) => word.replace(/^(-[A-Za-z]*?[fC]).*/, "$1")),
  );
}

/** tar(1) 1.34: `-T list`, `cTf list x.tar`; the values of a cluster follow it. */
function tarNames(rest: ProgramArguments): NameSource | undefined {
  const words = withDash(rest);
  const cluster = words.findIndex((word) => /^-[ABD-Za-eg-z]*T/.test(word));
  const values =
    cluster < 0 ? [] : words.slice(cluster + 1).concat((words[cluster] ?? "").replace(/^-[ABD-Za-eg-z]*?T/, ""));
  // `--file` is no abbreviation of it.
  const long = words.some((word) => word.startsWith("--files-f")) ? optionValues("--files-from", words) : [];
  if (long.length > 0) return sourceOfNames(long);
  return cluster < 0 ? undefined : values.some(isStream) ? "input" : "file";
}

/** The oldest syntax has letters without a dash, followed by their values. */
function withDash(words: ProgramArguments): ProgramArguments {
  const [first = "", ...others] = words;
  if (!/^[A-Za-z]+$/.test(first)) return words;
  const letters = first.replace("f", "");
  return [`-${letters}${letters === first ? "" : "f"}`, ...others];
}

const tarLetters = "-[crutxvzjJaOkpmwnSBZ]*";
const tarFlag = new RegExp(
  `^(${tarLetters}[fC]?|${tarLetters}f[^-].*|--(create|append|update|list|extract|verbose|gzip|bzip2|xz|zstd)|--(auto-compress|to-stdout|no-recursion|exclude-vcs|wildcards)|--(file|directory|exclude|strip-components)(=.*)?)$`,
  "s",
);

/** Whether the option is known, and not part of the previous one's value. */
function isTarFlag(word: string, before = ""): boolean {
  return tarFlag.test(word) && !/^-[A-Za-z]*[fC]$|^--(file|directory|exclude|strip-components)$/.test(before);
}

function zip(words: ProgramArguments): ArchiveUse {
  const [archive, ...others] = plainWords(words);
  const isKnown = words.every((word) => !isFlag(word) || /^-([rqjvDXyg\d]+|x)$/.test(word));
  // The names excluded by `-x` follow it, and are not the archive.
  if (!isKnown || archive === undefined || others.length === 0 || words.indexOf("-x") === 0) return unknownPack;
  if (words.includes("-x") && words.indexOf("-x") < words.indexOf(archive)) return unknownPack;
  return { writes: [archive === "-" || hasEnding(archive) ? archive : `${archive}.zip`], packs: true };
}

function unzip(words: ProgramArguments): ArchiveUse {
  const flags = words.filter(isFlag);
  return flags.some((flag) => /[ltpcvZz]/.test(flag)) && flags.every((flag) => /^-[ltpcvZzqC1]+$/.test(flag))
    ? looking
    : unknown;
}

function hasEnding(name: string): boolean {
  return name.includes(".", name.lastIndexOf("/") + 1);
}

function sevenZip([verb = "", ...words]: ProgramArguments): ArchiveUse {
  const isKnown = words.every((word) => !/^[-@]/.test(word) || /^-(t\w+|mx=?\d|r|y|slt)$/.test(word));
  const [archive] = plainWords(words);
  if (!isKnown || archive === undefined) return unknown;
  if (/^[lt]$/.test(verb)) return looking;
  // It adds an extension to other names.
  return /^[au]$/.test(verb) && hasEnding(archive) ? { writes: [archive], packs: true } : unknownPack;
}

function ar([letters = "", ...words]: ProgramArguments): ArchiveUse {
  const [archive] = words;
  if (archive === undefined || words.some((word) => /^[-@]/.test(word))) return unknown;
  if (/^-?[vO]*[tp][vO]*$/.test(letters)) return looking;
  return /^-?[rqcsuvDU]+$/.test(letters) ? { writes: [archive], packs: false } : unknown;
}

function cpio(words: ProgramArguments): ArchiveUse {
  const isListing = words.some((word) => /^-[iv]*t|^--list$/.test(word));
  const isKnown = words.every((word) => /^(-[itv]+|--(list|extract|verbose|quiet))$/.test(word));
  return isListing && isKnown ? looking : unknown;
}

/** Known only as a dry run on this machine. */
function rsync(words: ProgramArguments): ArchiveUse {
  const known =
    /^(-[avrzhiPulptgoDcqn]+|--(dry-run|list-only|delete|stats|archive|recursive|verbose|itemize-changes)|--(exclude|include)=.*)$/;
  const isTrial = words.some((word) => /^(-(?=[^n]*n)[a-zPD]+|--dry-run|--list-only)$/.test(word));
  const isKnown = words.every((word) => (isFlag(word) ? known.test(word) : !word.includes(":")));
  return isTrial && isKnown ? { writes: [], packs: true } : unknownPack;
}

function compress(words: ProgramArguments): ArchiveUse {
  const flags = words.filter(isFlag);
  const known =
    /^(-[cdtlkfqvzn\d]+|--(stdout|to-stdout|test|list|keep|force|decompress|uncompress|quiet|verbose|best|fast))$/;
  if (!flags.every((flag) => known.test(flag))) return unknown;
  if (flags.some((flag) => /^(-[a-z\d]*[ctl]|--(stdout|to-stdout|test|list)$)/.test(flag))) return looking;
  const unpacked = (file: string) => file.replace(/\.t[gbx]z2?$/, ".tar").replace(/\.(gz|z|bz2|xz|zst|lzma)$/i, "");
  return { writes: plainWords(words).flatMap((file) => [...new Set([file, unpacked(file)])]), packs: false };
}

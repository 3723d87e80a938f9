/** Programs that pack and unpack. */
import { hasArgument, isFlag, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import { allFiles, type Program, type Programs } from "./program.ts";

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
function archiver(packingOf: (words: ProgramArguments) => ArchiveUse): Program {
  return {
    exceeds: (words) => packingOf(words).writes === undefined,
    writes: (words) => [...(packingOf(words).writes ?? [])],
    readsRecursively: (words) => (packingOf(words).packs ? allFiles : undefined),
  };
}

export const archivePrograms: Programs = {
  "tar bsdtar gtar": {
    ...archiver(tar),
    runsOtherCode: (words) => isTarCode(withDash(words)),
    allowed: ["tar tzf a.tgz", "tar -xOf a.tgz src/b.ts", "tar tf a.tgz --exclude '*.js'"],
    asks: ["tar xf a.tgz", "tar cf out.tar src", "tar tf host:a", "tar tf a.tgz --rsh-c=./x", "tar Af a.tar b.tar"],
  },
  // zip(1) 3.0
  zip: {
    ...archiver(zip),
    runsOtherCode: "-T --test --unzip-command",
    asks: ["zip -r out src", "zip -m out.zip a.ts", "zip -T a b", "zip -x a.ts out.zip src"],
  },
  unzip: {
    effect: "writes files",
    ...archiver(unzip),
    allowed: ["unzip -l a.zip", "unzip -p a.zip b.ts"],
    asks: ["unzip a.zip", "unzip -qo a.zip"],
  },
  "7z 7za 7zz": {
    ...archiver(sevenZip),
    allowed: ["7z l a.7z"],
    asks: ["7z x a.7z", "7z a out.7z src", "7z l @names"],
  },
  ar: { ...archiver(ar), allowed: ["ar t a.a"], asks: ["ar rcs out.a a.ts", "ar x a.a", "ar -M"] },
  cpio: {
    ...archiver(cpio),
    runsOtherCode: "--rsh-command",
    allowed: ["cpio -it < a.ts"],
    asks: ["cpio -i < a.ts", "ls | cpio -o"],
  },
  rsync: {
    effect: "writes files",
    ...archiver(rsync),
    runsOtherCode: "-e --rsh --rsync-path --daemon --config",
    allowed: ["rsync -avn src other"],
    asks: ["rsync -a src other", "rsync -an -e ./x src other", "rsync -an src host:x"],
  },
  "gzip gunzip pigz unpigz bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd": {
    ...archiver(compress),
    allowed: ["gzip -l a.gz", "gunzip -c a.gz", "xz -dc a.xz"],
    asks: ["gzip a.ts", "gunzip a.gz", "xz -k a.ts", "gzip -S.tl a.ts"],
  },
  "unrar lz4 unlz4 brotli uncompress": { exceeds: "always" },
};

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
  return { writes: [/\.[^/]*$|^-$/.test(archive) ? archive : `${archive}.zip`], packs: true };
}

function unzip(words: ProgramArguments): ArchiveUse {
  const flags = words.filter(isFlag);
  return flags.some((flag) => /[ltpcvZz]/.test(flag)) && flags.every((flag) => /^-[ltpcvZzqC1]+$/.test(flag))
    ? looking
    : unknown;
}

function sevenZip([verb = "", ...words]: ProgramArguments): ArchiveUse {
  const isKnown = words.every((word) => !/^[-@]/.test(word) || /^-(t\w+|mx=?\d|r|y|slt)$/.test(word));
  const [archive] = plainWords(words);
  if (!isKnown || archive === undefined) return unknown;
  if (/^[lt]$/.test(verb)) return looking;
  // It adds an extension to other names.
  return /^[au]$/.test(verb) && /\.[^/]*$/.test(archive) ? { writes: [archive], packs: true } : unknownPack;
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
  const isTrial = words.some((word) => /^(-[a-zPD]*n[a-zPD]*|--dry-run|--list-only)$/.test(word));
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

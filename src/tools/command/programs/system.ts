/** Programs that manage files, processes and the machine. */
import { msg } from "../../../l10n/l10n.ts";
import { hasArgument, isFlag, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import { eachAfterFirst, eachOperand, linksAndTargets, operandsOf, sourcesAndTarget, target } from "./changes.ts";
import type { ChangedPath, Programs } from "./program.ts";
import { psShowsEnvironments } from "./ps.ts";

export const systemPrograms: Programs = {
  [`ls stat du df realpath readlink which whereis type test id groups printenv locale uptime free lsof pgrep lscpu
      lsblk tput getconf cal look`]: {
    files: "read",
    allowed: ["ls -la src", "which node"],
    asks: ["ls /", "ls ../x"],
  },
  file: {
    files: "read",
    globsCanBeOptions: true,
    writes: (words) => (hasArgument("-C --compile", words) ? ["magic.mgc"] : []),
    allowed: ["file a.ts"],
    asks: ["file -C -m x"],
  },
  date: {
    files: "read",
    exceeds: setsClock,
    allowed: ["date -u +%H", "date -d yesterday +%F", "date -Iseconds"],
    asks: ["date -s 2020-01-01", "date 01312359", "date -f %F 2020-01-01"],
  },
  ps: {
    files: "read",
    exceeds: psShowsEnvironments,
    allowed: ["ps aux", "ps -ef", "ps -o pid,time -p 1"],
    asks: ["ps e", "ps auxeww", "ps -E", "ps -o environ"],
  },
  hostname: {
    files: "read",
    exceeds: (words) => plainWords(words).length > 0 || hasArgument("-F -b --file", words),
    allowed: ["hostname -f"],
    asks: ["hostname other"],
  },
  "rm rmdir unlink shred trash trash-put": {
    effect: msg("deletes files"),
    isSelfContained: true,
    changes: eachOperand("-n= --iterations= -s= --size= --random-source="),
    // rm(1), coreutils 9.1
    optionNames: "-r|-R|--recursive -f|--force",
  },
  mv: { effect: msg("moves files"), isSelfContained: true, changes: sourcesAndTarget },
  rename: { effect: msg("moves files"), isSelfContained: true, changes: eachAfterFirst("-e") },
  cp: {
    effect: msg("writes files"),
    isSelfContained: true,
    readsRecursively: "-r -R -a --recursive --archive",
    changes: target,
  },
  dd: {
    effect: msg("writes files"),
    isSelfContained: true,
    writes: (words) => words.flatMap((word) => (word.startsWith("of=") ? [word.slice("of=".length)] : [])),
    changes: () => [],
    asks: ["dd if=a.ts of=y"],
  },
  "tee touch mkdir truncate csplit mkfifo mknod sponge": {
    effect: msg("writes files"),
    isSelfContained: true,
    // coreutils 9.1
    changes: eachOperand("-d= --date= -r= --reference= -t= -m= --mode= -s= --size= -f= --prefix= -b= -n="),
  },
  mktemp: { effect: msg("writes files"), isSelfContained: true, changes: eachOperand("-p=") },
  ln: { effect: msg("writes files"), isSelfContained: true, changes: linksAndTargets },
  install: {
    effect: msg("writes files"),
    isSelfContained: true,
    changes: (words) => (hasArgument("-d --directory", words) ? eachOperand("-m= -o= -g=")(words) : target(words)),
  },
  patch: { effect: msg("writes files"), isSelfContained: true, changes: patched },
  "chmod chown chgrp chflags": {
    effect: msg("changes who may use files"),
    isSelfContained: true,
    changes: eachAfterFirst(),
  },
  "chattr setfacl xattr": { effect: msg("changes who may use files"), isSelfContained: true, changes: eachOperand() },
  "kill pkill killall": { effect: msg("ends processes"), isSelfContained: true },
  // systemctl(1) 252
  systemctl: {
    options: `-h --help --version --system --user -t= --type= --state= --failed -p= --property= -P= --value -a --all -l --full
      -s= --signal= --now --dry-run -q --quiet --wait --no-block --no-pager -n= --lines= -o= --output= --plain`,
    runsOtherCode: "edit",
    exceeds: "-H -M --host --machine",
    readOptions: "-H= --host= -M= --machine= -i --job-mode= --fail --root= --no-legend --no-ask-password --kill-whom=",
    allowed: ["systemctl status x", "systemctl --user -n 5 status x", "systemctl --version"],
    asks: [
      ...["systemctl edit x", "systemctl --user edit x", "systemctl -H host status", "systemctl --machine x status"],
      "systemctl --mach x edit y",
    ],
  },
  service: { hasSubcommands: true },
  journalctl: {
    exceeds: "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --cursor-file",
    allowed: ["journalctl -n 5"],
    asks: ["journalctl --rotate"],
  },
  "ssh-keygen": { runsOtherCode: "-D -P -M", asks: ["ssh-keygen -D x.so"] },
};

/** patch(1) 2.7: without a name, it changes what the patch names. */
function patched(words: ProgramArguments): ChangedPath[] {
  const [file] = operandsOf(words, "-p= -i= --input= -d= --directory= -o= --output= -r= -B= -D= -F= -V= -Y= -z= -g=");
  const [folder] = optionValues("-d --directory", words);
  return [{ path: [folder, file].filter((part) => part !== undefined).join("/") || "." }];
}

/** Any word that is neither an option's value nor a format: `date 01312359`. */
function setsClock(words: ProgramArguments): boolean {
  const isValue = (before = "") => /^-[uRj]*[dfrvz]$|^--(date|file|reference)$/.test(before);
  const flags = words.filter((word, index) => isFlag(word) && !/^-I/.test(word) && !isValue(words[index - 1]));
  return (
    hasArgument("-s --set", flags) || words.some((word, index) => !/^[-+]/.test(word) && !isValue(words[index - 1]))
  );
}

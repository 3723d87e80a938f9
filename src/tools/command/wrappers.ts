/** Programs that run the command behind their own options, and do nothing else. */
import { Unclear, type Word } from "./word.ts";

interface Wrapper {
  /** Options that stand alone. */
  alone: RegExp;
  /** Options whose value is the next word. */
  valued: RegExp;
  /** Words of its own between the options and the command. */
  skip: number;
}

const none = /^$/;

export const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: {
    alone: /^(--preserve-status|--foreground|-v|--verbose|-[ks].+|--(kill-after|signal)=.+)$/,
    valued: /^(-k|-s|--kill-after|--signal)$/,
    skip: 1,
  },
  gtimeout: { alone: /^(--preserve-status|--foreground|-[ks].+)$/, valued: /^-[ks]$/, skip: 1 },
  nohup: { alone: none, valued: none, skip: 0 },
  nice: { alone: /^(-\d+|-n.+|--adjustment=.+)$/, valued: /^(-n|--adjustment)$/, skip: 0 },
  ionice: { alone: /^(-[cn]\d|-t)$/, valued: /^-[cn]$/, skip: 0 },
  stdbuf: { alone: /^(-[ioe].+|--(input|output|error)=.+)$/, valued: /^-[ioe]$/, skip: 0 },
  setsid: { alone: /^(-[cfw]+|--(ctty|fork|wait))$/, valued: none, skip: 0 },
  caffeinate: { alone: /^-[dimsu]+$/, valued: none, skip: 0 },
  time: { alone: /^-p$/, valued: none, skip: 0 },
  command: { alone: /^-p$/, valued: none, skip: 0 },
  builtin: { alone: none, valued: none, skip: 0 },
  // Not `-a`: where one program is many, its name decides which it is.
  exec: { alone: /^-[cl]+$/, valued: none, skip: 0 },
  xargs: {
    alone:
      /^(-[0rtx]+|--(null|no-run-if-empty|verbose|exit)|-[nLPsdEI].+|--(max-args|max-lines|max-procs|delimiter)=.+)$/,
    valued: /^-[nLPsdEI]$/,
    skip: 0,
  },
};

/** @returns the command that it runs; @throws Unclear for an option that is not known */
export function splitWrapper(name: string, words: readonly Word[]): readonly Word[] {
  const wrapper = wrappers[name];
  if (!wrapper) throw new Unclear();
  let at = 0;
  for (; at < words.length; at++) {
    const { values, isGlob } = words[at] ?? { values: undefined, isGlob: false };
    const [value] = values ?? [];
    if (value === undefined || values?.length !== 1 || isGlob) throw new Unclear();
    if (value === "--") {
      at++;
      break;
    }
    if (wrapper.valued.test(value)) at++;
    else if (!wrapper.alone.test(value)) {
      if (value.startsWith("-")) throw new Unclear();
      break;
    }
  }
  return words.slice(at + wrapper.skip);
}

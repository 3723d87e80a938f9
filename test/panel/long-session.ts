/** A session as long as they get: thousands of steps, whose calls have long outputs. */
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import * as f from "./fixtures.ts";

export interface Length {
  turns: number;
  /** Steps of each turn; four parts each. */
  steps: number;
  /** Length of each call's output. */
  outputCharacters: number;
}

/** 3,000 steps, 12,000 parts, 10 MB. */
export const longest: Length = { turns: 60, steps: 50, outputCharacters: 2800 };

const kinds = ["read", "bash", "grep", "edit", "bash"] as const;

/** The text of the last message, by which tests see that the end is on screen. */
export const lastWords = "That was the last of it.";

const ended = { completedAt: f.now, finish: "stop", cost: 0.001 } as const;

function longSession({ turns, steps, outputCharacters }: Length): Entry[] {
  const line = "src/cart.ts:15: const gross = items.reduce((sum, item) => sum + item.cents * item.quantity, 0);\n";
  const output = line.repeat(Math.ceil(outputCharacters / line.length)).slice(0, outputCharacters);
  const entries: Entry[] = [];
  for (let turn = 0; turn < turns; turn++) {
    entries.push(f.you(`Task number ${turn}: round the totals of module ${turn}, and test them.`));
    for (let step = 0; step < steps; step++) entries.push(stepOf(turn, step, output));
    if (turn === turns - 1) entries.push(f.rondo([f.said(lastWords)], ended));
  }
  return entries;
}

function stepOf(turn: number, step: number, output: string): Entry {
  const place = `${turn}-${step}`;
  const words =
    step % 4 === 0
      ? f.said(`Step ${place}: the **rate** of \`module-${turn}\` comes off last.\n\n- one line\n- and another\n`)
      : f.thought(`Thinking about ${place}, for a while.`, 2);
  return f.rondo(
    [
      { type: "step-start" },
      words,
      callOf(kinds[step % kinds.length] ?? "read", place, output),
      { type: "step-finish", reason: "tool-calls", tokens: noTokens, cost: 0.001 },
    ],
    { completedAt: f.now, cost: 0.001 },
  );
}

function callOf(kind: (typeof kinds)[number], place: string, output: string): f.LoosePart {
  const file = `${f.cwd}/src/module-${place}.ts`;
  if (kind === "read") return f.done("read", { file_path: file }, { fact: "64 lines" }, output);
  if (kind === "grep") return f.done("grep", { pattern: `round-${place}(` }, { fact: "7 in 3 files" }, output);
  if (kind === "bash") return f.done("bash", { command: `npm test -- ${place}` }, { fact: "exit code 0" }, output, 900);
  return f.done("edit", { file_path: file }, { diff: { path: file, added: 3, removed: 6, patch: f.patch } }, output);
}

export function longChat(length: Length = longest, change: Partial<Chat> = {}): Chat {
  return f.chat("A long session", longSession(length), change);
}

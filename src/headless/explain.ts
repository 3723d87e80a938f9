/** `--explain`: what the permission card would say of a call. Runs nothing and asks no model. */
import { createInterface } from "node:readline/promises";
import * as z from "zod/mini";
import type { Rule } from "../loop/events.ts";
import { alwaysRules, judge, type RuleBook, strictest } from "../loop/rules.ts";
import { coreTools } from "../tools/core.ts";
import { nodeHost } from "../tools/node-host.ts";
import { ToolError } from "../tools/tool.ts";
import { type HeadlessOptions, UsageError } from "./options.ts";

const Line = z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) });

/** Reads a `{tool, input}` a line from standard input and prints a judgement for each, in order. @returns exit status */
export async function explain(
  options: HeadlessOptions,
  rules: { user: readonly Rule[]; workspace: readonly Rule[] },
): Promise<number> {
  const host = nodeHost({ folders: [options.cwd], trusted: options.trusted, overflowDir: options.cwd });
  const book: RuleBook = { mode: options.mode, ...rules };
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    process.stdout.write(`${JSON.stringify(await explainCall(parse(line), book, options, host))}\n`);
  }
  return 0;
}

function parse(line: string): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    throw new UsageError(`This line is not {"tool": …, "input": {…}}: ${line.slice(0, 200)}`);
  }
}

async function explainCall(
  call: z.infer<typeof Line>,
  book: RuleBook,
  options: HeadlessOptions,
  host: ReturnType<typeof nodeHost>,
) {
  const tool =
    coreTools.find((one) => one.name === call.tool) ?? coreTools.find((one) => one.name === call.tool.toLowerCase());
  const refuse = (why: string) => ({ decision: "deny", rule: null, why, parts: [], paths: [], always: [] });
  if (!tool) return refuse(`There is no tool named "${call.tool}".`);
  const harmless = tool.sideEffect === "none" || tool.sideEffect === "read-only";
  if (!harmless && !options.trusted) return refuse("The workspace is not trusted.");
  if (!harmless && options.mode === "plan") return refuse("The mode is Plan.");
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  try {
    const signal = new AbortController().signal;
    const plan = await tool.prepare(parsed.data, { host, callID: "explain", seen: new Map(), signal });
    const judged = plan.needs.map((need) => ({ need, judgement: judge(need, tool.name, book) }));
    const decision = strictest(judged.map((one) => one.judgement));
    const decisive = judged.find((one) => one.judgement.decision === decision)?.judgement;
    const asking = judged.filter((one) => one.judgement.decision === "ask").map((one) => one.need);
    const isPath = (permission: string) => permission !== "bash";
    return {
      decision,
      rule: decisive?.rule ?? null,
      why: decisive?.why ?? "Nothing asks.",
      parts: judged
        .filter(({ need }) => !isPath(need.permission))
        .map(({ need, judgement }) => ({
          text: need.pattern,
          decision: judgement.decision,
          rule: judgement.rule ?? null,
        })),
      paths: judged
        .filter(({ need }) => isPath(need.permission))
        .map(({ need, judgement }) => ({
          path: need.pattern,
          inside: need.permission !== "external_directory",
          decision: judgement.decision,
        })),
      always: decision === "ask" ? alwaysRules(asking) : [],
    };
  } catch (error) {
    if (error instanceof ToolError) return refuse(error.message);
    throw error;
  }
}

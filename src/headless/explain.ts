/** `--explain`: prints what the permission card would show for a call. Runs nothing and asks no model. */

import os from "node:os";
import * as z from "zod/mini";
import type { Rule } from "../chat/requests.ts";
import { english, msg } from "../l10n/l10n.ts";
import { type Agent, isSwitchedOn } from "../loop/agents/agents.ts";
import { ruledHost } from "../loop/permissions/ruled-host.ts";
import { alwaysRules, type Judgement, judge, type RuleBook, strictest } from "../loop/permissions/rules.ts";
import { loadProject } from "../project/project.ts";
import { boundaryOf, rulesOf } from "../query/caller-rules.ts";
import { foldersOf } from "../query/check-options.ts";
import type { Options } from "../query/query-types.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import { taskTool } from "../tools/built-in/task.ts";
import type { Host } from "../tools/host.ts";
import { nodeHost } from "../tools/node-host/node-host.ts";
import { type FilesSeen, isHarmless, nobodyToAsk, noDelegate, type Tool, ToolError } from "../tools/tool.ts";
import { UsageError } from "./flags.ts";
import { inputLines } from "./input-lines.ts";

const ExplainLine = z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) });
type ExplainLine = z.infer<typeof ExplainLine>;

interface CallJudge {
  agent: Agent;
  book: RuleBook;
  host: Host;
  tools: readonly Tool[];
}

/** Reads `{tool, input}` lines from standard input and prints a judgement for each, in order. @returns the exit code */
export async function explain(options: Options): Promise<number> {
  const folders = foldersOf(options);
  const { permissionMode = "default", agent = "build", trusted = true } = options;
  // Nothing runs, so no output is stored.
  const host = nodeHost({ folders, trusted, overflowDir: os.devNull });
  const user = rulesOf(options);
  const project = loadProject({ folders, home: os.homedir(), trusted, boundary: boundaryOf(user) });
  const callJudge: CallJudge = {
    agent: project.agents.find(agent),
    book: { mode: permissionMode, user, workspace: [] },
    host,
    tools: [
      ...builtInTools({ editor: false }),
      taskTool(project.agents.all().filter(({ mode, hidden }) => mode !== "primary" && !hidden)),
    ],
  };
  for await (const line of inputLines()) {
    if (line.trim() === "") continue;
    process.stdout.write(`${JSON.stringify(await explainCall(parseLine(line), callJudge))}\n`);
  }
  return 0;
}

function parseLine(line: string): ExplainLine {
  try {
    return ExplainLine.parse(JSON.parse(line));
  } catch {
    throw new UsageError(msg('This line is not {"tool": …, "input": {…}}: {0}', line.slice(0, 200)));
  }
}

/** The table stands for calls of a model that has read what it changes. */
const allSeen: FilesSeen = { get: () => undefined, has: () => true, set() {}, delete() {} };

async function explainCall(call: ExplainLine, { agent, book, host, tools }: CallJudge) {
  const tool = tools.find((one) => one.name === call.tool) ?? tools.find((one) => one.name === call.tool.toLowerCase());
  const refuse = (why: string) => ({ decision: "deny", rule: null, why, parts: [], paths: [], always: [] });
  if (!tool) return refuse(english(`There is no tool named "${call.tool}".`));
  const harmless = isHarmless(tool);
  if (!harmless && !host.workspace.trusted) return refuse(english("The workspace is not trusted."));
  if (!harmless && book.mode === "plan") return refuse(english("The mode is Plan."));
  if (!isSwitchedOn(agent.tools, tool.name) || (agent.readOnly && !harmless)) {
    return refuse(english(`The agent ${agent.name} does not have the tool ${tool.name}.`));
  }
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  try {
    const { signal } = new AbortController();
    const asking = { delegate: noDelegate, askUser: nobodyToAsk };
    const ruled = ruledHost(host, { tool: tool.name, book, lineage: [agent] });
    const plan = await tool.prepare(parsed.data, {
      host: ruled,
      callID: "explain",
      seen: allSeen,
      signal,
      ...asking,
    });
    const judged = plan.requires.map((need) => ({ need, judgement: judge(need, tool.name, book, [agent]) }));
    const decision = strictest(judged.map((one) => one.judgement));
    const decisive = judged.find((one) => one.judgement.decision === decision)?.judgement;
    const asked = judged.filter((one) => one.judgement.decision === "ask").map((one) => one.need);
    const isPath = (permission: string) => /^(read|edit|external_directory)$/.test(permission);
    const isOutside = (path: string) =>
      plan.requires.some(({ permission, pattern }) => permission === "external_directory" && pattern === path);
    return {
      decision,
      rule: ruleOf(decisive),
      why: decisive?.why ?? english("Nothing asks."),
      parts: judged
        .filter(({ need }) => !isPath(need.permission))
        .map(({ need, judgement }) => {
          return { text: need.pattern, decision: judgement.decision, rule: ruleOf(judgement) };
        }),
      paths: judged
        .filter(({ need }) => isPath(need.permission))
        .map(({ need: { pattern: path }, judgement }) => {
          return { path, inside: !isOutside(path), decision: judgement.decision };
        }),
      always: decision === "ask" ? alwaysRules(asked) : [],
    };
  } catch (error) {
    if (error instanceof ToolError) return refuse(error.message);
    throw error;
  }
}

/** Returns the rule as in a rules file; null when the mode or a protected file decided. */
function ruleOf(judgement: Judgement | undefined): Rule | null {
  if (!judgement?.rule) return null;
  const { permission, pattern, action } = judgement.rule;
  return { permission, pattern, action };
}

/** Builds a session out of the command line, runs the prompts, prints what is asked for. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { addAbortSignal } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import * as z from "zod/mini";
import type { Chat } from "../loop/apply.ts";
import type { Rule, TurnEnded } from "../loop/events.ts";
import { IntakeError } from "../loop/intake-error.ts";
import { ModelError } from "../loop/model.ts";
import {
  type Access,
  accessFromEnvironment,
  defaultModel,
  isReady,
  openModel,
  type ProviderID,
  providerIDs,
} from "../loop/models/providers.ts";
import { lastText, project, resultMessage, type SdkMessage } from "../loop/sdk-messages.ts";
import { newSession, Session } from "../loop/session.ts";
import { noRecord, RecordError } from "../loop/store.ts";
import { defaultLimits, type Limits } from "../loop/turn.ts";
import { Sessions } from "../record/sessions.ts";
import { coreTools } from "../tools/core.ts";
import { nodeHost } from "../tools/node-host.ts";
import { registryOf, type ToolRegistry } from "../tools/registry.ts";
import { explain } from "./explain.ts";
import { type HeadlessOptions, parseOptions, UsageError, usage } from "./options.ts";
import { stateFolder } from "./state-folder.ts";

/** @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(argv);
    if (options === "help") {
      process.stdout.write(usage);
      return 0;
    }
    return await run(options);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`rondo: ${error.message}\n`);
      return 2;
    }
    if (error instanceof IntakeError || error instanceof RecordError || error instanceof ModelError) {
      const next = "next" in error ? ` ${error.next}` : "";
      process.stderr.write(`rondo: ${error.message}${next}\n`);
      return error instanceof IntakeError ? 2 : 1;
    }
    throw error;
  }
}

async function run(options: HeadlessOptions): Promise<number> {
  if (!statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`There is no folder ${options.cwd}.`);
  }
  const { rules, recordRules } = rulesOf(options);
  if (options.explain) return await explain(options, rules());
  const { provider, access, model } = chooseModel(options);
  const sessions = new Sessions(options.sessionDir ?? path.join(stateFolder(), "sessions"));
  const chat = openChat(options, sessions);
  const scratch = options.persist ? undefined : mkdtempSync(path.join(os.tmpdir(), "rondo-"));
  const recorder = options.persist ? sessions.transcript(chat.session.id, warn) : noRecord;
  const tools = registryOf(coreTools, options.disallowedTools);
  const overflowDir = scratch ?? sessions.outputs(chat.session.id);
  const session = new Session(
    chat,
    { mode: options.mode, model, agent: options.agent, thinking: "default", appended: options.appendSystemPrompt },
    {
      host: nodeHost({ folders: [options.cwd], trusted: options.trusted, overflowDir }),
      tools,
      recorder,
      limits: () => limitsOf(options),
      platform: process.platform,
      openModel: once(() => openModel(provider, access)),
      rules,
      keepRules: recordRules,
      attended: false,
      titles: false,
      onLoopEvent() {},
      onNote() {},
      onBug: warn,
    },
  );
  const interruption = new AbortController();
  const interrupt = () => {
    interruption.abort();
    void session.stop();
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  // Whoever reads the answers has left.
  process.stdout.on("error", interrupt);
  try {
    const ended = await answerAll(session, tools, options, interruption.signal);
    if (interruption.signal.aborted) return 130;
    if (!ended) throw new UsageError("There is no prompt. Give one as the last argument or on standard input.");
    if (ended.reason === "end_turn") return 0;
    process.stderr.write(`rondo: ${sentence(ended)}\n`);
    return 1;
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
    await session.dispose();
    if (options.persist) sessions.saveSummary(chat);
    if (scratch) rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs each prompt of the input until one is interrupted; the end of the last one counts. */
async function answerAll(
  session: Session,
  tools: ToolRegistry,
  options: HeadlessOptions,
  signal: AbortSignal,
): Promise<TurnEnded | undefined> {
  const print = (message: SdkMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);
  if (options.output === "stream-json") {
    const projection = project({ chat: session.chat, partial: options.partial, makeID: randomUUID, emit: print });
    projection.init({
      cwd: options.cwd,
      tools: tools.offered().map((tool) => tool.name),
      model: session.choices.model.modelID,
      mode: options.mode,
    });
    session.listen((event) => projection.take(event));
  }
  let ended: TurnEnded | undefined;
  for await (const text of prompts(options, signal)) {
    const first = session.chat.messages.length;
    await session.prompt({ text, attachments: [] });
    ended = session.chat.ended;
    if (!ended) throw new Error("the turn did not say how it ended");
    if (options.output === "text") process.stdout.write(`${lastText(session.chat.messages.slice(first))}\n`);
    else print(resultMessage(session.chat, ended, first, randomUUID()));
    if (signal.aborted) break;
  }
  return ended;
}

const InputLine = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]),
  }),
});

/** From the command line, else from standard input; the signal ends the waiting for it. */
async function* prompts({ prompt, input }: HeadlessOptions, signal: AbortSignal): AsyncGenerator<string> {
  if (prompt !== undefined) {
    yield prompt;
    return;
  }
  if (input === "text") {
    const text = process.stdin.isTTY ? "" : await readAll(addAbortSignal(signal, process.stdin)).catch(() => "");
    if (text.trim() !== "") yield text;
    return;
  }
  for await (const line of createInterface({ input: process.stdin, signal })) {
    if (line.trim() === "") continue;
    const { content } = parseInput(line).message;
    yield typeof content === "string" ? content : content.map((block) => block.text).join("\n");
  }
}

function parseInput(line: string): z.infer<typeof InputLine> {
  try {
    return InputLine.parse(JSON.parse(line));
  } catch {
    throw new UsageError(
      `This line of standard input is not {"type":"user","message":{"role":"user","content":"…"}}: ${line.slice(0, 200)}`,
    );
  }
}

function openChat(options: HeadlessOptions, sessions: Sessions): Chat {
  const { session } = options;
  if (session.type === "new") {
    if (session.id !== undefined && sessions.has(session.id)) {
      throw new UsageError(`There is a session "${session.id}" already. Go on with it by --resume ${session.id}.`);
    }
    return newSession(options.cwd, session.id);
  }
  const id = session.type === "resume" ? session.id : sessions.list()[0]?.id;
  if (id === undefined) throw new UsageError(`There is no session in ${sessions.folder} to continue.`);
  if (!sessions.has(id)) throw new UsageError(`There is no session "${id}" in ${sessions.folder}.`);
  const { chat, broken } = sessions.open(id);
  for (const { line } of broken) warn(new Error(`line ${line} of the record could not be read and was left out`));
  return chat;
}

function chooseModel(options: HeadlessOptions): {
  provider: ProviderID;
  access: Access;
  model: { providerID: ProviderID; modelID: string };
} {
  const accessTo = (id: ProviderID): Access => {
    const found = accessFromEnvironment(id, process.env);
    return options.baseURL === undefined ? found : { ...found, baseURL: options.baseURL };
  };
  const provider = options.provider ?? providerIDs.find((id) => isReady(accessTo(id))) ?? "anthropic";
  const access = accessTo(provider);
  const modelID = options.model ?? defaultModel(provider, access);
  if (modelID === undefined) throw new UsageError("A server of your own needs --model ID.");
  return { provider, access, model: { providerID: provider, modelID } };
}

function rulesOf({ rules, allowedTools, disallowedTools }: HeadlessOptions): {
  rules: () => { user: Rule[]; workspace: Rule[] };
  recordRules: (rules: Rule[]) => void;
} {
  const user: Rule[] = [
    ...allowedTools.map((permission) => ({ permission, pattern: "*", action: "allow" as const })),
    ...(rules ?? []),
    ...disallowedTools.map((permission) => ({ permission, pattern: "*", action: "deny" as const })),
  ];
  const workspace: Rule[] = [];
  return { rules: () => ({ user, workspace }), recordRules: (more) => workspace.push(...more) };
}

function limitsOf({ maxTurns, maxBudgetUsd, maxRetries, contextWindow }: HeadlessOptions): Limits {
  return {
    ...defaultLimits,
    maxBudgetUsd,
    maxTurns: maxTurns ?? defaultLimits.maxTurns,
    maxRetries: maxRetries ?? defaultLimits.maxRetries,
    contextWindow: contextWindow ?? defaultLimits.contextWindow,
  };
}

function sentence(ended: TurnEnded): string {
  if (ended.error) return `${ended.error.message} ${ended.error.next}`.trim().replaceAll("\n", " ");
  switch (ended.reason) {
    case "max_turns":
      return "The turn reached its most steps (--max-turns).";
    case "error_max_budget_usd":
      return "The budget is used up (--max-budget-usd).";
    default:
      return `The turn ended early: ${ended.reason}.`;
  }
}

function warn(error: unknown): void {
  process.stderr.write(`rondo: ${error instanceof Error ? error.message : String(error)}\n`);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

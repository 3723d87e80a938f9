/** A session on a real folder with the real tools and a real record; only the model is scripted. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { apply, type Chat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { ModelRef, ToolPart } from "../../src/chat/message.ts";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import { type PromptInput, textPrompt } from "../../src/chat/prompt-input.ts";
import { isRecorded } from "../../src/chat/recorded-events.ts";
import type { Answer, Rule, UserRequest } from "../../src/chat/requests.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { type Checkpoints, noCheckpoints } from "../../src/loop/checkpoints.ts";
import { type Hooks, noHooks } from "../../src/loop/hooks.ts";
import { defaultLimits, type Limits } from "../../src/loop/limits.ts";
import type { LoopEvent } from "../../src/loop/loop-events.ts";
import type { Model } from "../../src/loop/model.ts";
import { newSession, type PromptResult, Session } from "../../src/loop/session/session.ts";
import type { Choices } from "../../src/loop/setup/agent-config.ts";
import { type ExternalTools, noExternalTools } from "../../src/loop/setup/external-tools.ts";
import type { FactSource } from "../../src/loop/setup/model-facts.ts";
import type { GitState, Project } from "../../src/loop/setup/project.ts";
import { type Ledger, noLedger, noLock, type SessionLock } from "../../src/loop/storage.ts";
import type { TurnEnd } from "../../src/loop/turn.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { taskTool } from "../../src/tools/built-in/task.ts";
import { standIns } from "../../src/tools/built-in/tool-search.ts";
import type { SandboxMode } from "../../src/tools/host.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { type Script, ScriptedModel } from "../scripted-model.ts";
import { until } from "../timing.ts";
import { callsOf, checkLoopEvents, checkSettled, checkStates } from "./invariants.ts";

export { until };

export interface HarnessOptions {
  files?: Record<string, string>;
  mode?: PermissionMode;
  rules?: Rule[];
  limits?: Partial<Limits>;
  trusted?: boolean;
  sandbox?: SandboxMode;
  attended?: boolean;
  titles?: boolean;
  tools?: readonly Tool[];
  choices?: Partial<Choices>;
  /** Replaces the scripted model. */
  openModel?: (ref: ModelRef) => Promise<Model>;
  /** The chat to continue. */
  chat?: Chat;
  /** The folder of another harness, to work in the same one. */
  folder?: string;
  project?: Partial<Project>;
  hooks?: Hooks;
  lock?: SessionLock;
  ledger?: Ledger;
  facts?: FactSource;
  fallback?: ModelRef;
  externalTools?: ExternalTools;
  checkpoints?: Checkpoints;
  gitState?: () => Promise<GitState>;
}

const noProject: Project = {
  agents: new AgentCatalog(),
  rules: [],
  memory: undefined,
  branch: undefined,
  root: undefined,
  skills: [],
  problems: [],
};

export class Harness {
  /** Holds the workspace and everything that a test creates outside it. */
  readonly #root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-loop-")));
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly session: Session;
  readonly events: ChatEvent[] = [];
  readonly loopEvents: LoopEvent[] = [];
  readonly firstBytes = new Map<string, number>();
  readonly notes: string[] = [];
  readonly bugs: unknown[] = [];
  readonly kept: Rule[] = [];
  /** Rules that have decided, in order. */
  readonly used: Rule[] = [];
  readonly transcript: Transcript;
  /** Records of subagents' sessions. */
  readonly children: string[] = [];
  /** Whether the record and the events are those of a whole session. */
  readonly #isWhole: boolean;

  constructor(script: Script, options: HarnessOptions = {}) {
    const { files = {}, rules = [], trusted = true, attended = true, titles = false, tools = coreTools } = options;
    this.folder = options.folder ?? path.join(this.#root, "work");
    mkdirSync(this.folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.model = new ScriptedModel(script);
    this.#isWhole = options.chat === undefined;
    this.transcript = new Transcript(
      path.join(options.folder === undefined ? this.folder : this.#root, ".record.jsonl"),
      () => {},
    );
    const choices: Choices = {
      mode: options.mode ?? "default",
      modeEnd: undefined,
      model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
      agent: "build",
      thinking: "default",
      appended: "",
      ...options.choices,
    };
    const { sandbox = "off" } = options;
    const host = nodeHost({
      folders: [this.folder],
      trusted,
      overflowDir: path.join(this.folder, ".outputs"),
      sandbox,
    });
    const limits = () => ({ ...defaultLimits, retryBackoffMs: 1, ...options.limits });
    this.session = new Session(options.chat ?? newSession(this.folder), choices, {
      host,
      tools: registryOf(tools),
      taskTool,
      recorder: this.transcript,
      lock: options.lock ?? noLock,
      ledger: options.ledger ?? noLedger,
      fallbackModel: () => options.fallback,
      project: () => ({ ...noProject, ...options.project }),
      ...(options.gitState && { gitState: options.gitState }),
      hooks: options.hooks ?? noHooks,
      openChild: (id) => {
        const child = new Transcript(path.join(this.folder, `.child-${id}.jsonl`), () => {});
        this.children.push(child.path);
        return child;
      },
      limits,
      facts: options.facts ?? new KnownFacts({ limits }),
      platform: "linux",
      openModel: options.openModel ?? (async () => this.model),
      rules: () => ({ user: rules, workspace: this.kept }),
      keepRules: (more) => this.kept.push(...more),
      ruleUsed: (rule) => this.used.push(rule),
      externalTools: options.externalTools ?? noExternalTools,
      toolSearchTools: standIns,
      checkpoints: options.checkpoints ?? noCheckpoints,
      attended,
      sendsWaiting: true,
      titles,
      log: {
        event: (event) => this.loopEvents.push(event),
        firstByte: (messageID, afterMs) => this.firstBytes.set(messageID, afterMs),
        note: (message) => this.notes.push(message),
        bug: (error) => this.bugs.push(error),
      },
    });
    this.session.listen((event) => this.events.push(structuredClone(event)));
  }

  get chat(): Chat {
    return this.session.chat;
  }

  get calls(): ToolPart[] {
    return callsOf(this.chat);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, name)), { recursive: true });
    writeFileSync(path.join(this.folder, name), text);
  }

  writeBytes(name: string, bytes: Uint8Array): void {
    writeFileSync(path.join(this.folder, name), bytes);
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), "utf8");
  }

  send(text: string, more: Partial<PromptInput> = {}): Promise<PromptResult> {
    return this.session.prompt({ ...textPrompt(text), ...more });
  }

  /** Sends a prompt and waits for the end of its turn. */
  async turn(text = "Do it.", more: Partial<PromptInput> = {}): Promise<TurnEnd> {
    const result = await this.send(text, more);
    assert.equal(result.type, "ended");
    return result.type === "ended" ? result.end : assert.fail();
  }

  /** Returns the open requests of this kind. */
  open<K extends UserRequest["kind"]>(kind: K): Extract<UserRequest, { kind: K }>[] {
    const isKind = (one: UserRequest): one is Extract<UserRequest, { kind: K }> => one.kind === kind;
    return this.chat.requests.filter(isKind);
  }

  /** Returns the open request of this kind, or the next one. */
  async asked<K extends UserRequest["kind"] = "permission">(kind?: K): Promise<Extract<UserRequest, { kind: K }>> {
    await until(() => this.chat.requests.length > 0);
    const wanted = kind ?? ("permission" as K); // the default of K
    assert.equal(this.chat.requests[0]?.kind, wanted);
    return this.open(wanted)[0] ?? assert.fail();
  }

  async answerNext<A extends Answer>(answer: A): Promise<Extract<UserRequest, { kind: A["kind"] }>> {
    const request = await this.asked<A["kind"]>(answer.kind);
    assert.ok(this.session.answer(request.id, answer));
    return request;
  }

  /** Sentences that the user was told at messages. */
  told(): string[] {
    const parts = this.chat.messages.flatMap(({ parts }) => parts);
    return parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : []));
  }

  /** Returns the result of each call as sent to the model: its output or its error. */
  results(): string[] {
    return this.calls.map(({ state }) =>
      state.status === "completed"
        ? state.output.trim()
        : state.status === "error"
          ? `ERROR ${state.error}`
          : state.status,
    );
  }

  text(): string {
    const parts = this.chat.messages.at(-1)?.parts ?? [];
    return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  }

  /** R1, I10: the record consists of whole lines, and their replay gives the live chat. */
  checkRecord(): void {
    this.transcript.flush();
    const { chat, broken } = replay(this.transcript.path);
    assert.deepEqual(broken, []);
    assert.deepEqual(lasting(chat), lasting(this.chat));
    const folded = newSession("");
    folded.session = this.chat.session;
    for (const event of this.events) if (isRecorded(event)) apply(folded, structuredClone(event));
    assert.deepEqual(lasting(folded).messages, lasting(this.chat).messages);
  }

  /** Closes the session and checks the invariants of every session. */
  async close(): Promise<void> {
    try {
      await this.session.dispose();
      if (this.#isWhole && this.chat.messages.length > 0) this.checkRecord();
      this.transcript.close();
      checkSettled(this.chat);
      checkStates(this.events);
      checkLoopEvents(this.loopEvents);
    } finally {
      rmSync(this.#root, { recursive: true, force: true });
    }
  }
}

/** Returns the recorded parts of a chat. */
export function lasting({ session, messages, queue }: Chat): Pick<Chat, "session" | "messages" | "queue"> {
  return JSON.parse(JSON.stringify({ session, messages, queue }));
}

/**
 * Returns a function that makes harnesses, which are closed and checked after each test. Call it within a `describe`.
 */
export function harnesses(): (script: Script, options?: HarnessOptions) => Harness {
  const open: Harness[] = [];
  afterEach(async () => {
    for (const harness of open.splice(0)) await harness.close();
  });
  return (script, options) => {
    const harness = new Harness(script, options);
    open.push(harness);
    return harness;
  };
}

/** The composition root of a query: creates a session with everything it depends on, and disposes of it. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { passedVariables } from "../base/node/without-keys.ts";
import type { Chat } from "../chat/apply.ts";
import type { PermissionMode } from "../chat/events.ts";
import type { ModelRef } from "../chat/message.ts";
import type { Rule } from "../chat/requests.ts";
import {
  defaultStoreLimitBytes,
  noSessionCheckpoints,
  openCheckpoints,
  type SessionCheckpoints,
} from "../checkpoints/session-checkpoints.ts";
import { msg } from "../l10n/l10n.ts";
import { type Agent, isSwitchedOn } from "../loop/agents/agents.ts";
import { type Hooks, noHooks } from "../loop/hooks.ts";
import { defaultLimits, type Limits } from "../loop/limits.ts";
import { forLog } from "../loop/loop-events.ts";
import type { Model } from "../loop/model.ts";
import { Session } from "../loop/session/session.ts";
import type { SessionDeps } from "../loop/session/session-deps.ts";
import { type FactSource, withCachePrices } from "../loop/setup/model-facts.ts";
import { choosePatchOrEdits } from "../loop/setup/patch-tool.ts";
import type { Project } from "../loop/setup/project.ts";
import { noLedger, noLock, noRecord } from "../loop/storage.ts";
import { KnownFacts } from "../providers/catalog/model-facts.ts";
import { askProvider, isProviderID, isReady, openModel } from "../providers/providers.ts";
import { SpendingLedger } from "../record/ledger.ts";
import { RecordLock } from "../record/session-lock.ts";
import { stateFolder } from "../runtime/state-folder.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import { taskTool } from "../tools/built-in/task.ts";
import { standIns } from "../tools/built-in/tool-search.ts";
import type { ConfigPlaces } from "../tools/node-host/config-files.ts";
import { nodeHost } from "../tools/node-host/node-host.ts";
import { registryOf } from "../tools/registry.ts";
import { agentsOf, withCallers } from "./caller-agents.ts";
import { boundaryOf, rulesOf, withheldTools } from "./caller-rules.ts";
import {
  checkMode,
  checkOptions,
  chooseModel,
  foldersOf,
  notesOf,
  type QueryModel,
  sandboxOf,
  thinkingOf,
} from "./check-options.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { asQueryError } from "./query-error.ts";
import type { Options, QueryExitReason, SDKSystemMessage } from "./query-types.ts";
import { serversOf } from "./run-servers.ts";
import { createRunTrace } from "./run-trace.ts";

export interface ResolvedOptions extends OpenedSession, QueryModel {
  chat: Chat;
  folders: [string, ...string[]];
  mode: PermissionMode;
  agent: string;
  agents: readonly Agent[];
  limits: Limits;
  facts: FactSource;
  fallback: ModelRef | undefined;
  rules: readonly Rule[];
  persist: boolean;
  trusted: boolean;
  say(sentence: string): void;
  log(sentence: string): void;
}

export function resolveOptions(options: Options): ResolvedOptions {
  const notes = notesOf(options);
  checkOptions(options, notes.say);
  const folders = foldersOf(options);
  const choice = chooseModel(options);
  const { fallbackModel, agent = "build", persistSession = true, trusted = true, permissionMode = "default" } = options;
  const limits = limitsOf(options);
  try {
    return {
      ...openSession(options, folders[0]),
      ...choice,
      ...notes,
      folders,
      mode: checkMode(permissionMode),
      agent,
      agents: agentsOf(options),
      limits,
      facts: new KnownFacts({
        limits: () => limits,
        isProvider: isProviderID,
        ask: async ({ providerID, modelID }, signal) => {
          const { provider, access } = choice.accessTo(providerID);
          return isReady(access) ? await askProvider(provider, access, modelID, signal) : undefined;
        },
      }),
      fallback: fallbackModel === undefined ? undefined : { ...choice.model, modelID: fallbackModel },
      rules: rulesOf(options),
      persist: persistSession,
      trusted,
    };
  } catch (error) {
    throw asQueryError(error);
  }
}

/** The title has been asked for at the beginning of the first reply. The result is out already. */
const titlePatienceMs = 500;

export interface QueryRuntime {
  session: Session;
  /** Returns the first message. @throws IntakeError when there is no such agent */
  init(): Omit<SDKSystemMessage, "uuid" | "session_id">;
  /** Waits for the session's title, but not long. */
  titled(): Promise<void>;
  /** Ends the session and its servers, saves the record, and leaves no lock, process or scratch file. */
  close(reason: QueryExitReason | undefined): Promise<void>;
}

export async function createRuntime(plan: ResolvedOptions, options: Options): Promise<QueryRuntime> {
  const { chat, sessions, persist, model, mode, agent, folders, trusted, limits, say, log } = plan;
  const { id } = chat.session;
  const appended = typeof options.systemPrompt === "object" ? (options.systemPrompt.append ?? "") : "";
  const choices = { mode, modeEnd: undefined, model, agent, thinking: thinkingOf(options), appended };
  // Git works while everything else is loaded.
  const isTold = trusted && chat.prefix === undefined;
  const git = isTold ? import("../project/git-state.ts").then(({ gitState }) => gitState(folders[0])) : undefined;
  const load = await projectLoader(plan, options);
  const first = load();
  let unread: Project | undefined = first;
  const hooks = await hooksOf(plan, options, () => choices.mode);
  const builtIn = builtInTools({ editor: false });
  const tools = registryOf(builtIn, withheldTools(options, [...builtIn.map(({ name }) => name), "task"]));
  const servers = await serversOf(options, { ...plan, boundary: boundaryOf(plan.rules) });
  const workspaceRules: Rule[] = [];
  const checkpoints = persist && trusted ? checkpointsOf(plan) : noSessionCheckpoints;
  const scratch = persist ? undefined : mkdtempSync(path.join(os.tmpdir(), "rondo-"));
  const trace = createRunTrace(chat, options, say);
  const record = persist ? openRecord(plan) : noRunRecord;
  const session = new Session(chat, choices, {
    host: nodeHost({
      folders,
      trusted,
      overflowDir: scratch ?? sessions.outputs(id),
      sandbox: sandboxOf(options),
      state: [stateFolder(), sessions.folder],
      passed: passedOf(options),
    }),
    tools,
    externalTools: servers,
    toolSearchTools: standIns,
    checkpoints,
    taskTool,
    recorder: record.recorder,
    lock: record.lock,
    ledger: record.ledger,
    limits: () => limits,
    facts: plan.facts,
    platform: process.platform,
    openModel: modelOpener(plan),
    fallbackModel: () => plan.fallback,
    rules: () => ({ user: plan.rules, workspace: workspaceRules }),
    keepRules: (rules) => workspaceRules.push(...rules),
    ruleUsed() {},
    project() {
      const project = unread ?? load();
      unread = undefined;
      return project;
    },
    ...(git && { gitState: () => git }),
    hooks,
    openChild: record.openChild,
    attended: options.canUseTool !== undefined,
    // The result of a run is that of its own prompts.
    sendsWaiting: false,
    // Nobody looks for a session that is not stored.
    titles: persist && (options.titles ?? true),
    log: {
      event(event) {
        trace?.take(event);
        options.onLoopEvent?.(event);
        if (options.debug || options.debugFile !== undefined) log(JSON.stringify(forLog(event)));
      },
      firstByte: (messageID, afterMs) => trace?.firstByte(messageID, afterMs),
      note: log,
      bug: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    },
  });
  return {
    session,
    init() {
      const answering = first.agents.find(agent);
      const allowed = tools.offered().filter(({ name }) => isSwitchedOn(answering.tools, name));
      const own = choosePatchOrEdits(allowed, plan.facts.of(model).flags.includes("applyPatch")).tools;
      const isTask = !tools.isDisabled("task") && isSwitchedOn(answering.tools, "task");
      return {
        type: "system",
        subtype: "init",
        cwd: folders[0],
        tools: [...own.map(({ name }) => name), ...(isTask ? ["task"] : [])],
        agents: first.agents.all().flatMap(({ hidden, name }) => (hidden ? [] : [name])),
        model: model.modelID,
        permissionMode: choices.mode,
        apiKeySource: isReady(plan.accessTo(model.providerID).access) ? "user" : "none",
        mcp_servers: servers.status(),
        slash_commands: ["compact"],
        skills: [],
        plugins: [],
        output_style: "default",
      };
    },
    async titled() {
      const patience = new AbortController();
      const wait = sleep(titlePatienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([session.titled(), wait]);
      patience.abort();
    },
    async close(reason) {
      try {
        await session.dispose(reason);
        await trace?.close();
        await Promise.all([servers.close(), checkpoints.close()]);
      } finally {
        record.close();
        if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
      }
    },
  };
}

/** Checkpoints are stored next to the sessions, which share their file copies. */
function checkpointsOf({ chat, sessions, folders, log }: ResolvedOptions): SessionCheckpoints {
  const roots = folders.map((folder) => realpathSync(folder));
  return openCheckpoints({
    folder: path.join(sessions.folder, "checkpoints"),
    sessionID: chat.session.id,
    roots: () => roots,
    limitBytes: () => defaultStoreLimitBytes,
    log,
  });
}

interface RunRecord extends Pick<SessionDeps, "recorder" | "lock" | "ledger" | "openChild"> {
  close(): void;
}

const noRunRecord: RunRecord = {
  recorder: noRecord,
  lock: noLock,
  ledger: noLedger,
  openChild: () => ({ ...noRecord, close() {} }),
  close() {},
};

function openRecord({ sessions, chat, found, limits, say, log }: ResolvedOptions): RunRecord {
  const { id, forkOf } = chat.session;
  const warn = (error: Error) => say(error.message);
  if (forkOf && !sessions.has(id)) sessions.add(chat);
  for (const { line } of found?.broken ?? [])
    say(msg("Line {0} of the record could not be read and was left out.", line));
  const transcript = sessions.transcript(id, warn, found);
  return {
    recorder: transcript,
    lock: new RecordLock(transcript, { sessionID: id, lockTimeoutMs: limits.lockTimeoutMs }),
    ledger: new SpendingLedger(path.join(sessions.folder, "spending"), log),
    openChild: (childID) => sessions.transcript(childID, warn),
    close() {
      transcript.close();
      sessions.saveSummary(chat);
    },
  };
}

/** Returns a function that loads rules files, agents and memory from the wanted setting sources. */
async function projectLoader(plan: ResolvedOptions, options: Options): Promise<() => Project> {
  // Loaded late: it brings a YAML parser.
  const [{ loadProject }, { findRepository }] = await Promise.all([
    import("../project/project.ts"),
    import("../base/node/repository.ts"),
  ]);
  const { systemPrompt } = options;
  const prompt = typeof systemPrompt === "string" ? systemPrompt : undefined;
  const reported = new Set<string>();
  return () => {
    const project = loadProject(sourcesOf(plan, options));
    for (const problem of project.problems) {
      if (!reported.has(problem)) plan.say(problem);
      reported.add(problem);
    }
    // Also where the folder's own files are not wanted.
    const root = project.root ?? findRepository(plan.folders[0])?.root;
    return { ...project, root, agents: withCallers(project.agents, plan.agents, plan.agent, prompt) };
  };
}

/** Shared and local files of the workspace are read together. */
function sourcesOf(plan: ResolvedOptions, { settingSources }: Options): ConfigPlaces {
  const { folders, trusted } = plan;
  const wants = (source: "user" | "project" | "local") => settingSources?.includes(source) ?? true;
  return {
    folders: wants("project") || wants("local") ? folders : [],
    // A place without files.
    home: wants("user") ? os.homedir() : os.devNull,
    trusted,
    boundary: boundaryOf(plan.rules),
  };
}

function passedOf({ passEnvironment = [], env = process.env }: Options): NodeJS.ProcessEnv {
  return passedVariables(passEnvironment, env);
}

async function hooksOf(plan: ResolvedOptions, options: Options, permissionMode: () => PermissionMode): Promise<Hooks> {
  const { chat, sessions, folders, persist, say, log } = plan;
  const context = {
    cwd: folders[0],
    sessionID: chat.session.id,
    transcriptPath: persist ? sessions.path(chat.session.id) : "",
    permissionMode,
  };
  const { loadHooks } = await import("../project/hook-settings.ts");
  const { env = process.env, allowProjectHooks: files = false } = options;
  const settings = loadHooks({ ...sourcesOf(plan, options), files, own: options.settings?.hooks });
  if (settings.skipped.length > 0) {
    const names = settings.skipped.join(" and ");
    say(msg("The hooks of {0} are not run: allowProjectHooks (--project-hooks) allows them.", names));
  }
  for (const problem of settings.problems) say(problem);
  let hooks = noHooks;
  if (settings.hooks.size > 0) {
    const { commandHooks } = await import("../project/command-hooks.ts");
    hooks = commandHooks(settings, { ...context, env, passed: passedOf(options), onNote: log });
  }
  if (options.hooks === undefined) return hooks;
  return (await import("./callback-hooks.ts")).withCallbacks(hooks, options.hooks, context);
}

function modelOpener({ accessTo }: ResolvedOptions): (ref: ModelRef) => Promise<Model> {
  const open = new Map<string, Promise<Model>>();
  return ({ providerID }) => {
    const { provider, access } = accessTo(providerID);
    const model = open.get(provider) ?? openModel(provider, access);
    open.set(provider, model);
    return model;
  };
}

function limitsOf(options: Options): Limits {
  const { maxTurns, maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens, contextWindow, limits = {} } = options;
  const given = {
    maxTurns,
    autoCompact: options.autoCompact,
    maxRetries: limits.maxRetries,
    maxPromptBytes: limits.maxPromptBytes,
    compactAt: limits.compactAt,
    doomLoopThreshold: limits.doomLoopThreshold,
    reserveFloorTokens: limits.reserveFloor,
    flushThresholdTokens: limits.flushThreshold,
    executionTimeoutMs: limits.executionTimeout,
    toolTimeoutMs: limits.toolTimeout,
    retryBackoffMs: limits.retryBackoff,
    stallNoticeMs: limits.stallNotice,
    stallTimeoutMs: limits.stallTimeout,
    queueTimeoutMs: limits.queueTimeout,
    lockTimeoutMs: limits.lockTimeout,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const money = {
    maxBudgetUsd,
    maxDailyBudgetUsd,
    maxBudgetTokens,
    prices: withCachePrices(options.prices ?? {}),
    modelOptions: options.modelOptions ?? {},
  };
  return { ...defaultLimits, ...Object.fromEntries(set), ...money, forcedWindow: contextWindow };
}

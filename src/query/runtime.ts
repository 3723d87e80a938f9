/** Translates the options of a query into the parts of a session, which `src/runtime` composes. */
import { realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { passedVariables } from "../base/node/without-keys.ts";
import { limitOption, loopSettings, type SharedName, sharedSettings } from "../base/settings.ts";
import type { PermissionMode } from "../chat/permission-mode.ts";
import type { Rule } from "../chat/requests.ts";
import { defaultStoreLimitBytes, noSessionCheckpoints, openCheckpoints } from "../checkpoints/session-checkpoints.ts";
import { msg } from "../l10n/l10n.ts";
import { type Agent, type AgentCatalog, isSwitchedOn } from "../loop/agents/agents.ts";
import type { Hooks } from "../loop/hooks.ts";
import { defaultLimits, type Limits } from "../loop/limits.ts";
import { forLog } from "../loop/loop-events.ts";
import type { Session } from "../loop/session/session.ts";
import type { Choices } from "../loop/setup/agent-config.ts";
import { withCachePrices } from "../loop/setup/model-facts.ts";
import { choosePatchOrEdits } from "../loop/setup/patch-tool.ts";
import type { Project } from "../loop/setup/project.ts";
import { parseAgent } from "../project/agent-fields.ts";
import { isReady } from "../providers/providers.ts";
import { SpendingLedger } from "../record/ledger.ts";
import { Sessions } from "../record/sessions.ts";
import { composeSession, type SessionParts } from "../runtime/compose-session.ts";
import { type OpenedSession, openSession } from "../runtime/open-session.ts";
import { type ProcessModels, processModels } from "../runtime/process-models.ts";
import { hasServers, type ProcessServers, processServers } from "../runtime/process-servers.ts";
import type { ProjectReader } from "../runtime/project-reader.ts";
import { type SessionRecord, StoredRecord, unstoredRecord } from "../runtime/session-record.ts";
import { sessionTrace } from "../runtime/session-trace.ts";
import { stateFolder } from "../runtime/state-folder.ts";
import { builtInTools } from "../tools/built-in/all.ts";
import type { ConfigPlaces } from "../tools/node-host/config-files.ts";
import { nodeHost } from "../tools/node-host/node-host.ts";
import { registryOf } from "../tools/registry.ts";
import { boundaryOf, rulesOf, withheldTools } from "./caller-rules.ts";
import {
  checkMode,
  checkOptions,
  foldersOf,
  modelFor,
  notesOf,
  type QueryModel,
  sandboxOf,
  thinkingOf,
} from "./check-options.ts";
import { asQueryError, QueryError } from "./query-error.ts";
import type { Options, QueryExitReason, SDKSystemMessage } from "./query-types.ts";

export interface ResolvedOptions extends OpenedSession, QueryModel {
  sessions: Sessions;
  folders: [string, ...string[]];
  mode: PermissionMode;
  agent: string;
  agents: readonly Agent[];
  limits: Limits;
  models: ProcessModels;
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
  const chosen = modelFor(options);
  const { fallbackModel, agent = "build", persistSession = true, trusted = true, permissionMode = "default" } = options;
  const limits = limitsOf(options);
  const fallback = fallbackModel === undefined ? undefined : { ...chosen.model, modelID: fallbackModel };
  const sessions = new Sessions(sessionsFolder(options));
  try {
    return {
      ...openSession(sessions, wantedSession(options), folders[0]),
      ...chosen,
      ...notes,
      sessions,
      folders,
      mode: checkMode(permissionMode),
      agent,
      agents: agentsOf(options),
      limits,
      models: processModels(chosen.accessTo, limits, fallback),
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
  const { chat, persist, model, mode, agent, folders, trusted, models, say, log } = plan;
  const appended = typeof options.systemPrompt === "object" ? (options.systemPrompt.append ?? "") : "";
  const choices = { mode, modeEnd: undefined, model, agent, thinking: thinkingOf(options), appended };
  // Git works while everything else is loaded.
  const isTold = trusted && chat.prefix === undefined;
  const git = isTold ? import("../project/git-state.ts").then(({ gitState }) => gitState(folders[0])) : undefined;
  const { reader, load } = await projectOf(plan, options);
  const first = load();
  let unread: Project | undefined = first;
  const hooks = await hooksOf(plan, options, choices, reader);
  const builtIn = builtInTools({ editor: false });
  const tools = registryOf(builtIn, withheldTools(options, [...builtIn.map(({ name }) => name), "task"]));
  const servers = await serversOf(plan, options);
  const record = persist ? storedRecord(plan) : unstoredRecord();
  const { traceFile: file, traceCollector: collector, env = process.env } = options;
  const trace = sessionTrace(chat, { file, collector, headers: env["OTEL_EXPORTER_OTLP_HEADERS"] }, say);
  const { session, close } = composeSession({
    ...{ chat, choices, record, tools, hooks, models },
    externalTools: servers,
    host: nodeHost({
      folders,
      trusted,
      overflowDir: record.outputs,
      sandbox: sandboxOf(options),
      state: [stateFolder(), plan.sessions.folder],
      passed: passedOf(options),
    }),
    checkpoints: checkpointsOf(plan),
    rules: rulesIn(plan),
    project: {
      project() {
        const project = unread ?? load();
        unread = undefined;
        return project;
      },
      gitState: async () => (await git) ?? "unknown",
    },
    user: {
      attended: options.canUseTool !== undefined,
      // The result of a run is that of its own prompts.
      sendsWaiting: false,
      // Nobody looks for a session that is not stored.
      titles: persist && (options.titles ?? true),
    },
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
    own: trace ? [servers, trace] : [servers],
  });
  return {
    session,
    close,
    init() {
      const answering = first.agents.find(agent);
      const allowed = tools.offered().filter(({ name }) => isSwitchedOn(answering.tools, name));
      const own = choosePatchOrEdits(allowed, models.facts.of(model).flags.includes("applyPatch")).tools;
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
        mcp_servers: servers.views().map(({ name, state }) => ({ name, status: statuses[state.type] ?? "pending" })),
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
  };
}

/** States of servers in the public SDK, by Rondo's. */
const statuses: Record<string, string> = { ready: "connected", "sign-in": "needs-auth", failed: "failed" };

function sessionsFolder({ sessionDir }: Options): string {
  return sessionDir === undefined ? path.join(stateFolder(), "sessions") : path.resolve(sessionDir);
}

function wantedSession({ sessionId: id, resume, forkSession, resumeSessionAt: until, ...options }: Options) {
  if (resume === undefined && !options.continue) return { id, from: undefined };
  const which = resume === undefined ? ("newest" as const) : { id: resume };
  return { id, from: { which, as: forkSession || until !== undefined ? { until } : ("itself" as const) } };
}

/** Checkpoints are stored next to the sessions, which share their file copies. */
function checkpointsOf({ chat, sessions, folders, persist, trusted, log }: ResolvedOptions) {
  if (!persist || !trusted) return noSessionCheckpoints;
  const roots = folders.map((folder) => realpathSync(folder));
  return openCheckpoints({
    folder: path.join(sessions.folder, "checkpoints"),
    sessionID: chat.session.id,
    roots: () => roots,
    limitBytes: () => defaultStoreLimitBytes,
    log,
  });
}

/** Rules that are kept hold for the rest of the query. */
function rulesIn({ rules: user }: ResolvedOptions): SessionParts["rules"] {
  const workspace: Rule[] = [];
  return { rules: () => ({ user, workspace }), keepRules: (rules) => workspace.push(...rules), ruleUsed() {} };
}

function storedRecord({ sessions, chat, found, limits, say, log }: ResolvedOptions): SessionRecord {
  const { id, forkOf } = chat.session;
  if (forkOf && !sessions.has(id)) sessions.add(chat);
  for (const { line } of found?.broken ?? [])
    say(msg("Line {0} of the record could not be read and was left out.", line));
  return new StoredRecord(id, {
    ...{ sessions, found, lockTimeoutMs: limits.lockTimeoutMs, isAlive: undefined },
    ledger: new SpendingLedger(path.join(sessions.folder, "spending"), log),
    failed: ({ message }) => say(message),
  });
}

/** Returns what loads rules files, agents and memory from the wanted setting sources. */
async function projectOf(plan: ResolvedOptions, options: Options) {
  // Loaded late: it brings a YAML parser.
  const [{ ProjectReader }, { findRepository }] = await Promise.all([
    import("../runtime/project-reader.ts"),
    import("../base/node/repository.ts"),
  ]);
  const { systemPrompt } = options;
  const prompt = typeof systemPrompt === "string" ? systemPrompt : undefined;
  const reader = new ProjectReader(plan.say);
  const load = (): Project => {
    const project = reader.load(sourcesOf(plan, options));
    // Also where the folder's own files are not wanted.
    const root = project.root ?? findRepository(plan.folders[0])?.root;
    return { ...project, root, agents: withCallers(project.agents, plan.agents, plan.agent, prompt) };
  };
  return { reader, load };
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

async function hooksOf(
  plan: ResolvedOptions,
  options: Options,
  choices: Choices,
  reader: ProjectReader,
): Promise<Hooks> {
  const { chat, sessions, folders, persist, say, log } = plan;
  const { id: sessionID } = chat.session;
  const about = { cwd: folders[0], sessionID, transcriptPath: persist ? sessions.path(sessionID) : "" };
  const { env = process.env, allowProjectHooks: files = false } = options;
  const { hooks, skipped } = reader.hooks(
    { ...sourcesOf(plan, options), files, own: options.settings?.hooks },
    { ...about, choices, env, passed: passedOf(options), note: log },
  );
  if (skipped.length > 0) {
    const names = skipped.join(" and ");
    say(msg("The hooks of {0} are not run: allowProjectHooks (--project-hooks) allows them.", names));
  }
  if (options.hooks === undefined) return hooks;
  const { withCallbacks } = await import("./callback-hooks.ts");
  return withCallbacks(hooks, options.hooks, { ...about, permissionMode: () => choices.mode });
}

async function serversOf(plan: ResolvedOptions, options: Options): Promise<ProcessServers> {
  const { folders, trusted, rules, say, log } = plan;
  const { mcpServers: given, allowProjectMcpServers: allowed = false, env = process.env } = options;
  if (trusted && !allowed && hasServers(folders)) {
    say(msg("The servers of .mcp.json were not started: allowProjectMcpServers (--project-mcp) allows them."));
  }
  const passed = options.passEnvironment ?? [];
  return await processServers({ given, allowed, folders, trusted, boundary: boundaryOf(rules), env, passed, say, log });
}

/** Its names are those of the tables of settings, which `Object.fromEntries` forgets. */
function limitsOf(options: Options): Limits {
  const { contextWindow, limits = {} } = options;
  const shared = Object.keys(sharedSettings).map((name) => [name, options[name as SharedName]] as const);
  const loop = loopSettings.flatMap(({ limit }) => {
    const option = limitOption(limit);
    return option === undefined ? [] : [[limit, limits[option]] as const];
  });
  const set = [...shared, ...loop].filter(([, value]) => value !== undefined);
  const given = { prices: withCachePrices(options.prices ?? {}), modelOptions: options.modelOptions ?? {} };
  return { ...defaultLimits, ...Object.fromEntries(set), ...given, forcedWindow: contextWindow };
}

// Adds the caller's agents, and replaces the prompt of the answering agent with the caller's.

/** @throws QueryError `agent-invalid`, with the problem of each field */
function agentsOf({ agents = {} }: Options): Agent[] {
  return Object.entries(agents).map(([name, { prompt, ...fields }]) => {
    const data = Object.fromEntries(Object.entries({ ...fields, name }).filter(([, value]) => value !== undefined));
    const parsed = parseAgent({ data, body: prompt }, { source: "user", fileName: name, mode: "all" });
    if (parsed.type === "agent") return parsed.agent;
    throw new QueryError("agent-invalid", msg('The agent "{0}" cannot be used: {1}.', name, parsed.fields.join("; ")));
  });
}

/** Returns the catalogue with the caller's agents. `prompt` replaces the prompt of the agent `answering`. */
function withCallers(catalog: AgentCatalog, own: readonly Agent[], answering: string, prompt: string | undefined) {
  const all = own.length > 0 ? catalog.with(own) : catalog;
  const agent = prompt === undefined ? undefined : all.all().find(({ name }) => name === answering);
  return agent && prompt !== undefined ? all.with([{ ...agent, prompt }]) : all;
}

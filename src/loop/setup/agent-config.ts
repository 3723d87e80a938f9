/** Resolves the configuration of an answer: agent, model, tools, system prompt (spec L8, T1, M). */

import { sameJson } from "../../base/json.ts";
import type { ModelRef, ToolDefinition, UserMessage } from "../../chat/message.ts";
import type { PermissionMode } from "../../chat/permission-mode.ts";
import type { BuildMode } from "../../chat/requests.ts";
import { english } from "../../l10n/l10n.ts";
import type { Host } from "../../tools/host.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { definitionOf, isHarmless, type Tool } from "../../tools/tool.ts";
import { type Agent, isSwitchedOn } from "../agents/agents.ts";
import type { Limits } from "../limits.ts";
import type { Thinking } from "../model.ts";
import { isWhollyDenied, type RuleBook } from "../permissions/rules.ts";
import type { ExternalTools } from "./external-tools.ts";
import { type FactSource, type ModelFacts, optionsFor } from "./model-facts.ts";
import { choosePatchOrEdits } from "./patch-tool.ts";
import type { GitState, Project } from "./project.ts";
import { joinPrompt, joinTexts, type SystemPrompt, systemPrompt } from "./system-prompt.ts";
import { promptTopics, type Topic } from "./topics.ts";

export interface Choices {
  /** The mode that was chosen; `presentMode` tells which one holds. */
  mode: PermissionMode;
  /** When that mode ends on its own; undefined: never. */
  modeEnd: ModeEnd | undefined;
  model: ModelRef;
  agent: string;
  thinking: Thinking;
  appended: string;
}

/** `at`: ms since 1970. */
export interface ModeEnd {
  at: number;
  next: BuildMode;
}

/** Returns the mode that holds now. It is asked for at each decision, since timers are late after a computer's sleep. */
export function presentMode({ mode, modeEnd }: Pick<Choices, "mode" | "modeEnd">): PermissionMode {
  return modeEnd && Date.now() >= modeEnd.at ? modeEnd.next : mode;
}

/** Agent, model, tools and prompt for a user message (L8); the same object as long as nothing changes. */
export interface AgentConfig {
  readonly agent: Agent;
  readonly model: ModelRef;
  readonly facts: ModelFacts;
  /** Counted tokens per estimated token. */
  tokenScale(): number;
  readonly thinking: Thinking;
  readonly temperature: number | undefined;
  /** Merged from provider, model, agent and variant (M2). */
  readonly options: Readonly<Record<string, unknown>>;
  /** Maximum tokens of one reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  readonly contextWindow: number;
  /** Maximum tokens of a request, if the provider limits them separately; else the window. */
  readonly inputLimit: number;
  /** System prompt and tools as a conversation would begin with them now; see `Chat.prefix`. */
  readonly system: string;
  readonly definitions: readonly ToolDefinition[];
  /** What the system prompt says and may change later. */
  readonly topics: readonly Topic[];
  /** Tools that may be called. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Why the other tools may not be called, by name. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Functions are called again for each turn. */
export interface ConfigSources {
  readonly host: Host;
  tools: ToolRegistry;
  externalTools: ExternalTools;
  /** Tools that search and call external tools, if there are too many to list; else none. */
  toolSearchTools(tools: readonly Tool[]): Tool[];
  taskTool(agents: readonly Agent[]): Tool;
  /** "darwin", "linux", "win32" */
  platform: string;
  limits(): Limits;
  readonly facts: FactSource;
  project(): Project;
  /** Asks git about the first workspace folder; never rejects. Absent: the model is not told. */
  gitState?(): Promise<GitState>;
}

interface ResolverDeps extends ConfigSources {
  choices: Choices;
  book(): RuleBook;
}

const deepest = 3;

/** Maximum tokens to request, thinking included: some servers count them against a rate limit or credit beforehand. */
const longestReply = 64_000;

export class ConfigResolver {
  readonly #deps: ResolverDeps;
  #project: Project | undefined;
  readonly #prompts = new Map<string, SystemPrompt>();
  /** Configs of this turn: the same objects, so that requests can be cached by their parts. */
  readonly #known = new Map<string, AgentConfig>();
  #taskTool: Tool | undefined;
  #externalTools: readonly Tool[] = [];
  #search: Tool[] = [];
  #fallback: ModelRef | undefined;
  #chosen: ModelRef | undefined;
  #git: GitState = "unknown";

  constructor(deps: ResolverDeps) {
    this.#deps = deps;
  }

  /** Read lazily, and again after `refresh`. */
  get project(): Project {
    this.#project ??= this.#deps.project();
    return this.#project;
  }

  /** Starts a turn: rules and choices may have changed since the last one. */
  begin(): void {
    this.#known.clear();
    this.#fallback = undefined;
    this.#chosen = undefined;
    this.takeExternalTools();
  }

  /** Offers the external tools that are connected now. */
  takeExternalTools(): void {
    const now = this.#deps.externalTools.tools();
    if (now.length === this.#externalTools.length && now.every((tool, at) => tool === this.#externalTools[at])) return;
    this.#externalTools = [...now];
    this.#search = this.#deps.toolSearchTools(now);
    this.#known.clear();
  }

  /** Applies changed choices from the next request. `model` overrides that of the answered message. */
  choose(model: ModelRef | undefined): void {
    this.#chosen = model ?? this.#chosen;
    this.#known.clear();
  }

  /** Reads the project again when it is next needed. */
  refresh(): void {
    this.#project = undefined;
    this.#taskTool = undefined;
    this.#prompts.clear();
    this.#known.clear();
  }

  /** For the system prompt of a conversation that begins. */
  async learnGitState(): Promise<void> {
    const { gitState } = this.#deps;
    if (!gitState) return;
    const found = await gitState();
    if (found === this.#git) return;
    this.#git = found;
    this.#prompts.clear();
    this.#known.clear();
  }

  switchToFallback(model: ModelRef): void {
    this.#fallback = model;
    this.#known.clear();
  }

  /** @throws IntakeError if the agent no longer exists */
  of(user: UserMessage): AgentConfig {
    return this.ofAgent(this.project.agents.find(user.agent), user, 0);
  }

  ofAgent(agent: Agent, user: UserMessage, depth: number): AgentConfig {
    const { model, system = "", variant = "", tools = {} } = user;
    const key = JSON.stringify([agent.name, model, system, variant, tools, depth]);
    const known = this.#known.get(key);
    // Facts about the model may have arrived since.
    if (known && sameJson(known.facts, this.#deps.facts.of(this.modelFor(user)))) return known;
    const config = this.#make(agent, user, depth);
    this.#known.set(key, config);
    return config;
  }

  /** Returns the model that `of` would choose. */
  modelFor(user: UserMessage): ModelRef {
    return this.#fallback ?? this.#chosen ?? user.model;
  }

  promptOf(agent: Agent, user: UserMessage): SystemPrompt {
    const { host, platform } = this.#deps;
    const { folders } = host.workspace;
    const added = this.#added(user);
    const { label, guidance } = this.#deps.facts.of(this.modelFor(user));
    const key = JSON.stringify([agent.name, added, label, guidance]);
    const environment = { folders, platform, shell: host.terminal.shell, git: this.#git, model: label, guidance };
    const prompt = this.#prompts.get(key) ?? systemPrompt(agent, environment, this.project, added);
    this.#prompts.set(key, prompt);
    return prompt;
  }

  #make(agent: Agent, user: UserMessage, depth: number): AgentConfig {
    const { choices } = this.#deps;
    const model = this.modelFor(user);
    const facts = this.#deps.facts.of(model);
    const refusals = new Map<string, string>();
    const allowed = (tools: readonly Tool[]) =>
      tools.filter((tool) => {
        const why = this.#refusal(tool, agent, user.tools ?? {});
        if (why !== undefined) refusals.set(tool.name, why);
        return why === undefined;
      });
    const builtIn = choosePatchOrEdits(allowed(this.#offered()), facts.flags.includes("applyPatch"));
    for (const [name, why] of builtIn.refusals) refusals.set(name, why);
    const offered = [
      ...builtIn.tools,
      ...allowed([
        ...(depth < deepest ? this.#delegation() : []),
        ...(this.#search.length > 0 ? this.#search : this.#externalTools),
      ]),
    ];
    // Deferred tools can be called by their names, once the model has found them.
    const deferred = this.#search.length > 0 ? allowed(this.#externalTools) : [];
    return {
      agent,
      model,
      facts,
      tokenScale: () => this.#deps.facts.tokenScale(model),
      thinking: thinkingOf(user.variant) ?? choices.thinking,
      temperature: agent.temperature,
      options: optionsFor(user.variant, facts.options, agent.options),
      maxTokens: facts.maxOutput && Math.min(facts.maxOutput, longestReply),
      contextWindow: facts.contextWindow,
      inputLimit: facts.inputLimit,
      system: joinPrompt(this.promptOf(agent, user)),
      topics: promptTopics(
        agent,
        this.project,
        { id: model.modelID, label: facts.label, guidance: facts.guidance },
        joinTexts(this.#added(user)),
      ),
      // Deferred tools can be called by name once the model has found them.
      tools: new Map([...deferred, ...offered].map((tool) => [tool.name, tool])),
      refusals,
      definitions: offered.map(definitionOf),
    };
  }

  #offered(): Tool[] {
    const tools = this.#deps.tools.offered();
    return this.#deps.host.terminal.sandbox ? tools.map((tool) => tool.inSandbox ?? tool) : tools;
  }

  #added({ system = "" }: UserMessage): string[] {
    return [this.#deps.choices.appended, system];
  }

  /** Returns why agent, rules or message keep a tool from being called (T1). */
  #refusal(tool: Tool, agent: Agent, switches: Record<string, boolean>): string | undefined {
    const { name } = tool;
    if (switches[name] === false) return english(`${name} is switched off for this message. Work without it.`);
    const isOn = switches[name] ?? isSwitchedOn(agent.tools, name);
    if (!isOn || (agent.readOnly && !isHarmless(tool))) return english(`The agent ${agent.name} may not use ${name}.`);
    if (!isWhollyDenied(tool, this.#deps.book(), [agent])) return undefined;
    return english(
      `A permission rule denies every use of ${name}. Choose another way, or tell the user what you would need.`,
    );
  }

  #delegation(): Tool[] {
    const agents = this.project.agents.all().filter(({ mode, hidden }) => mode !== "primary" && !hidden);
    if (agents.length === 0 || this.#deps.tools.isDisabled("task")) return [];
    this.#taskTool ??= this.#deps.taskTool(agents);
    return [this.#taskTool];
  }
}

function thinkingOf(variant: string | undefined): Thinking | undefined {
  return variant === "off" || variant === "low" || variant === "medium" || variant === "high" ? variant : undefined;
}

/** Resolves "provider/model" or a bare model. A workspace's agent must not choose who receives the code. */
export function modelOf(agent: Agent, usual: ModelRef, facts: FactSource): ModelRef {
  if (agent.model === undefined) return usual;
  const [, providerID = "", modelID = ""] = /^([^/]+)\/(.+)$/.exec(agent.model) ?? [];
  if (!facts.isProvider(providerID)) return { providerID: usual.providerID, modelID: agent.model };
  return agent.source === "workspace" && providerID !== usual.providerID ? usual : { providerID, modelID };
}

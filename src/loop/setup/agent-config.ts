/** Resolves the configuration of an answer: agent, model, tools, system prompt (spec L8, T1, M). */
import type { PermissionMode } from "../../chat/events.ts";
import type { ModelRef, UserMessage } from "../../chat/message.ts";
import type { Host } from "../../tools/host.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { isHarmless, type Tool, type ToolDefinition } from "../../tools/tool.ts";
import { type Agent, isSwitchedOn } from "../agents/agents.ts";
import type { Limits } from "../limits.ts";
import type { Thinking } from "../model.ts";
import { isWhollyDenied, type RuleBook } from "../permissions/rules.ts";
import type { ExternalTools } from "./external-tools.ts";
import { knownModel, optionsFor, windowOf } from "./model-catalog.ts";
import type { Project } from "./project.ts";
import { joinPrompt, type SystemPrompt, systemPrompt } from "./system-prompt.ts";

export interface Choices {
  mode: PermissionMode;
  model: ModelRef;
  agent: string;
  thinking: Thinking;
  appended: string;
}

/** Agent, model, tools and prompt for a user message (L8); the same object as long as nothing changes. */
export interface AgentConfig {
  readonly agent: Agent;
  readonly model: ModelRef;
  readonly thinking: Thinking;
  readonly temperature: number | undefined;
  /** Merged from provider, model, agent and variant (M2). */
  readonly options: Readonly<Record<string, unknown>>;
  /** Maximum tokens of one reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  readonly contextWindow: number;
  /** Maximum tokens of a request, if the provider limits them separately; else the window. */
  readonly inputLimit: number;
  readonly system: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
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
  /** Read at the start of the first turn, and after each compaction (C7). */
  project(): Project;
}

interface ResolverDeps extends ConfigSources {
  choices: Choices;
  book(): RuleBook;
}

const deepest = 3;

export class ConfigResolver {
  readonly #deps: ResolverDeps;
  #project: Project | undefined;
  /** System prompts do not change until `refresh` (C7). */
  readonly #prompts = new Map<string, SystemPrompt>();
  /** Configs of this turn: the same objects, so that requests can be cached by their parts. */
  readonly #known = new Map<string, AgentConfig>();
  #taskTool: Tool | undefined;
  /** External tools at the start of the turn, because the beginning of requests must not change within it. */
  #externalTools: readonly Tool[] = [];
  #search: Tool[] = [];
  #fallback: ModelRef | undefined;
  #chosen: ModelRef | undefined;

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
    const now = this.#deps.externalTools.tools();
    if (now.length === this.#externalTools.length && now.every((tool, at) => tool === this.#externalTools[at])) return;
    this.#externalTools = now;
    this.#search = this.#deps.toolSearchTools(now);
  }

  /** Applies changed choices from the next request. `model` overrides that of the answered message. */
  choose(model: ModelRef | undefined): void {
    this.#chosen = model ?? this.#chosen;
    this.#known.clear();
  }

  /** Reads project and system prompt again, because the prefix of requests has changed anyway (C7). */
  refresh(): void {
    this.#project = undefined;
    this.#taskTool = undefined;
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
    const config = this.#known.get(key) ?? this.#make(agent, user, depth);
    this.#known.set(key, config);
    return config;
  }

  promptOf(agent: Agent, user: UserMessage): SystemPrompt {
    const { host, platform, choices } = this.#deps;
    const { folders } = host.workspace;
    const added = [choices.appended, user.system ?? ""];
    const key = JSON.stringify([agent.name, added]);
    const environment = { folders, platform, shell: host.terminal.shell };
    const prompt = this.#prompts.get(key) ?? systemPrompt(agent, environment, this.project, added);
    this.#prompts.set(key, prompt);
    return prompt;
  }

  #make(agent: Agent, user: UserMessage, depth: number): AgentConfig {
    const { limits, choices } = this.#deps;
    const model = this.#fallback ?? this.#chosen ?? user.model;
    const known = knownModel(model);
    const contextWindow = windowOf(model, limits());
    const offered = this.#offered(agent, user.tools ?? {}, depth, model);
    return {
      agent,
      model,
      thinking: thinkingOf(user.variant) ?? choices.thinking,
      temperature: agent.temperature,
      options: optionsFor(model, user.variant, agent.options),
      maxTokens: known?.maxOutput,
      contextWindow,
      inputLimit: Math.min(known?.inputLimit ?? contextWindow, contextWindow),
      system: joinPrompt(this.promptOf(agent, user)),
      // Deferred tools can be called by name once the model has found them.
      tools: new Map([...this.#deferred(agent, user.tools ?? {}), ...offered].map((tool) => [tool.name, tool])),
      definitions: offered.map(({ name, description, schema }) => ({ name, description, schema })),
    };
  }

  /**
   * Tools enabled by agent, rules and message (T1). Plan mode keeps all, so that the prompt's prefix is cached (C7).
   */
  #offered(agent: Agent, switches: Record<string, boolean>, depth: number, model: ModelRef): Tool[] {
    const tools = this.#deps.tools.offered().filter((tool) => isFor(model, tool));
    if (depth < deepest) tools.push(...this.#delegation());
    tools.push(...(this.#search.length > 0 ? this.#search : this.#externalTools));
    return this.#allowed(tools, agent, switches);
  }

  #deferred(agent: Agent, switches: Record<string, boolean>): Tool[] {
    return this.#search.length > 0 ? this.#allowed(this.#externalTools, agent, switches) : [];
  }

  #allowed(tools: readonly Tool[], agent: Agent, switches: Record<string, boolean>): Tool[] {
    const book = this.#deps.book();
    return tools.filter((tool) => {
      if (!(switches[tool.name] ?? isSwitchedOn(agent.tools, tool.name)) || isWhollyDenied(tool, book, [agent]))
        return false;
      return !agent.readOnly || isHarmless(tool);
    });
  }

  #delegation(): Tool[] {
    const agents = this.project.agents.all().filter(({ mode, hidden }) => mode !== "primary" && !hidden);
    if (agents.length === 0 || this.#deps.tools.isDisabled("task")) return [];
    this.#taskTool ??= this.#deps.taskTool(agents);
    return [this.#taskTool];
  }
}

/** `apply_patch` is offered to models trained on its format, for any provider. */
export function isFor({ modelID }: ModelRef, { name }: Pick<Tool, "name">): boolean {
  return name !== "apply_patch" || /(^|[/:.@])(gpt-|chatgpt-|codex|o[34](?=$|[-:.]))/i.test(modelID);
}

function thinkingOf(variant: string | undefined): Thinking | undefined {
  return variant === "off" || variant === "low" || variant === "medium" || variant === "high" ? variant : undefined;
}

/** Resolves "provider/model" or a bare model. A workspace's agent must not choose who receives the code. */
export function modelOf(agent: Agent, usual: ModelRef): ModelRef {
  if (agent.model === undefined) return usual;
  const [, providerID, modelID] = /^(anthropic|openai|vscode)\/(.+)$/.exec(agent.model) ?? [];
  if (providerID === undefined || modelID === undefined) return { providerID: usual.providerID, modelID: agent.model };
  return agent.source === "workspace" && providerID !== usual.providerID ? usual : { providerID, modelID };
}

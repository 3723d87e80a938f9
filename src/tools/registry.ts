/** The registered tools, in the order of registration (T2). */

import type { ToolDefinition } from "../chat/message.ts";
import { invalid } from "./invalid.ts";
import { definitionOf, type Tool } from "./tool.ts";

/** Returns a registry of these tools and `invalid`. Neither `invalid` nor `disabled` tools are offered. */
export function registryOf(tools: readonly Tool[], disabled: Iterable<string> = []): ToolRegistry {
  const registry = new ToolRegistry({ disabled: [...disabled, invalid.name] });
  for (const tool of [...tools, invalid]) registry.register(tool);
  return registry;
}

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();
  readonly #disabled: ReadonlySet<string>;

  /** `disabled` tools are not offered, but can still be looked up. */
  constructor(options: { disabled?: Iterable<string> } = {}) {
    this.#disabled = new Set(options.disabled);
  }

  /** @throws Error if the name is taken */
  register(tool: Tool): void {
    if (this.#tools.has(tool.name)) throw new Error(`A tool named "${tool.name}" is registered already.`);
    this.#tools.set(tool.name, tool);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Returns the offered tools for a model, in a stable order so that providers can cache them. */
  definitions(): ToolDefinition[] {
    return this.offered().map(definitionOf);
  }

  offered(): Tool[] {
    return [...this.#tools.values()].filter((tool) => !this.isDisabled(tool.name));
  }

  isDisabled(name: string): boolean {
    return this.#disabled.has(name);
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }
}

/** The tools there are, in the order in which they were registered (T2). */

import { invalid } from "./invalid.ts";
import type { Tool, ToolDefinition } from "./tool.ts";

/** A registry that holds these tools; `disabled` ones are not offered, nor is the one that stands in for what is not there. */
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

  /** @throws Error when there is one of this name already */
  register(tool: Tool): void {
    if (this.#tools.has(tool.name)) throw new Error(`A tool named "${tool.name}" is registered already.`);
    this.#tools.set(tool.name, tool);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** What a model is offered: all but the disabled. The same list each time, so that providers can cache it. */
  definitions(): ToolDefinition[] {
    return this.offered().map(({ name, description, schema }) => ({ name, description, schema }));
  }

  offered(): Tool[] {
    return [...this.#tools.values()].filter((tool) => !this.isDisabled(tool.name));
  }

  isDisabled(name: string): boolean {
    return this.#disabled.has(name);
  }

  /** Of all, disabled ones included. */
  names(): string[] {
    return [...this.#tools.keys()];
  }
}

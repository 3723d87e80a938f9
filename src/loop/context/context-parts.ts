/** What fills the window by kind, and where the user can change what no request goes without (C8). Sizes are in tokens. */
import type { ContextPart } from "../../chat/context-views.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Project } from "../setup/project.ts";
import type { SystemPrompt } from "../setup/system-prompt.ts";
import { sizeOfTools, sum } from "./context.ts";
import { sizeOfText } from "./token-size.ts";

/** The files that system prompts are made of. */
export type PromptFiles = Pick<Project, "rules" | "memory">;

/** Returns the parts of the system prompt, and the tools: ours, and those of each MCP server. */
export function fixedParts(config: AgentConfig, prompt: SystemPrompt, { rules, memory }: PromptFiles): ContextPart[] {
  const system = sizeOfText(config.system);
  // The conversation may have begun with others.
  const sizeOfRules = Math.min(sizeOfText(prompt.rules), system);
  const sizeOfMemory = Math.min(sizeOfText(prompt.memory), system - sizeOfRules);
  const skills = Math.min(sizeOfText(prompt.skills), system - sizeOfRules - sizeOfMemory);
  return [
    { name: "system", tokens: system - sizeOfRules - sizeOfMemory - skills },
    ...ruleParts(sizeOfRules, rules),
    { name: "memory", tokens: sizeOfMemory, ...(memory && { place: { type: "file", path: memory.path } }) },
    { name: "skills", tokens: skills },
    ...toolParts(config),
  ];
}

/** Each file has its share of what all take. */
function ruleParts(tokens: number, files: PromptFiles["rules"]): ContextPart[] {
  const all = sum(files, ({ text }) => sizeOfText(text));
  if (all === 0) return [{ name: "rules", tokens }];
  return files.map(({ path, text }) => ({
    ...{ name: "rules", tokens: Math.round((tokens * sizeOfText(text)) / all), detail: path },
    place: { type: "file", path },
  }));
}

function toolParts({ definitions }: AgentConfig): ContextPart[] {
  const serverOf = ({ name }: (typeof definitions)[number]) => /^mcp__(.+?)__/.exec(name)?.[1];
  const ofServers = Object.entries(Object.groupBy(definitions, (one) => serverOf(one) ?? "")).flatMap(
    ([server, tools]): ContextPart[] =>
      server === "" || !tools
        ? []
        : [
            {
              ...{ name: "tools", tokens: sizeOfText(JSON.stringify(tools)), count: tools.length, detail: server },
              place: { type: "servers" },
            },
          ],
  );
  const count = definitions.filter((one) => serverOf(one) === undefined).length;
  const tokens = Math.max(0, sizeOfTools(definitions) - sum(ofServers, (part) => part.tokens));
  return [{ name: "tools", tokens, count }, ...ofServers];
}

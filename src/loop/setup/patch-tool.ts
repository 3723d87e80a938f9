/**
 * Models that were trained on patches change files by `apply_patch` alone; others by the tools that it replaces.
 * Its texts are for the model.
 */
import type { Tool } from "../../tools/tool.ts";

const patchTool = "apply_patch";
const replaced: readonly string[] = ["edit", "multi_edit", "write"];

/** What `apply_patch` can do: it replaces the others only where both are allowed. */
const needed: readonly string[] = ["edit", "write"];

interface Chosen {
  tools: Tool[];
  /** Why the others may not be called, by name. */
  refusals: ReadonlyMap<string, string>;
}

/** `tools`: those that agent, rules and message allow. */
export function choosePatchOrEdits(tools: readonly Tool[], knowsPatches: boolean): Chosen {
  const names = new Set(tools.map(({ name }) => name));
  const isAlone = !replaced.some((name) => names.has(name));
  const isPatch = knowsPatches && names.has(patchTool) && (isAlone || needed.every((name) => names.has(name)));
  const dropped = isPatch ? replaced : [patchTool];
  const advice = isPatch ? `with ${patchTool}` : "with the other tools";
  return {
    tools: tools.filter(({ name }) => !dropped.includes(name)),
    refusals: new Map(
      dropped
        .filter((name) => names.has(name))
        .map((name) => [name, `${name} is not for this model. Change files ${advice}.`]),
    ),
  };
}

/** Whether permission rules for the tool `ruled` hold for `tool`, which takes its place. */
export function takesPlaceOf(tool: string, ruled: string): boolean {
  return tool === patchTool && replaced.includes(ruled);
}

/** Whether whoever has `tools` may hand on a tool: another model may have the same power by another name. */
export function mayHandOn(tools: ReadonlyMap<string, Tool>, name: string): boolean {
  if (tools.has(name)) return true;
  if (name === patchTool) return needed.every((one) => tools.has(one));
  return replaced.includes(name) && tools.has(patchTool);
}

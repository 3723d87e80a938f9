/** The editing tools on a real folder. */
import { applyPatch } from "../../src/tools/built-in/apply-patch.ts";
import { edit } from "../../src/tools/built-in/edit.ts";
import { multiEdit } from "../../src/tools/built-in/multi-edit.ts";
import { notebookEdit } from "../../src/tools/built-in/notebook-edit.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { nobodyToAsk, noDelegate, type ToolPlan } from "../../src/tools/tool.ts";
import { TestWorkspace } from "./workspace.ts";

const tools = registryOf([edit, multiEdit, applyPatch, notebookEdit]);

export class EditWorkspace extends TestWorkspace {
  override async plan(
    name: string,
    input: Record<string, unknown>,
    signal = new AbortController().signal,
  ): Promise<ToolPlan> {
    const tool = tools.get(name);
    if (!tool) return await super.plan(name, input, signal);
    const { host, seen } = this;
    return await tool.prepare(tool.input.parse(input), {
      host,
      callID: "call-1",
      seen,
      signal,
      delegate: noDelegate,
      askUser: nobodyToAsk,
    });
  }
}

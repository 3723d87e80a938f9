/** Models that were trained on patches have `apply_patch` in place of edit, multi_edit and write; others have these. */
import assert from "node:assert/strict";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { catalogModels } from "../../src/providers/catalog/catalog.ts";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import { agent } from "../agent.ts";
import { type Harness, harnesses } from "./harness.ts";

const tools = builtInTools({ editor: false });
const edits = ["apply_patch", "edit", "multi_edit", "write"];
const gpt = { providerID: "openai", modelID: "gpt-6.1-terra" };
const claude = { providerID: "anthropic", modelID: "claude-sonnet-5-5" };

/** Names of the tools that change files, as the request at `index` has them. */
function offered({ model }: Harness, index = 0): string[] {
  return (model.requests[index]?.tools ?? []).map(({ name }) => name).filter((name) => edits.includes(name));
}

const patch = (file: string, text: string) => ({
  call: "apply_patch",
  input: { input: `*** Begin Patch\n*** Add File: ${file}\n+${text}\n*** End Patch` },
});

describe("the patch tool", () => {
  const open = harnesses();
  const withModel = (providerID: string, modelID: string) =>
    open([["Done."]], { tools, choices: { model: { providerID, modelID } } });

  it("T1 stands alone for each GPT of the catalogue that knows it, at OpenAI, Azure, gateways and in VS Code", async () => {
    const untrained = /^(gpt-4|gpt-4-turbo|gpt-4o.*|o1.*|o3-mini|chat-latest|gpt-daybreak-.*)$/;
    for (const providerID of ["openai", "azure"]) {
      for (const modelID of catalogModels(providerID)) {
        if (!/^(gpt|o\d|codex|chat)/.test(modelID)) continue;
        const h = withModel(providerID, modelID);
        await h.turn();
        const wanted = untrained.test(modelID) ? ["write", "edit", "multi_edit"] : ["apply_patch"];
        assert.deepEqual(offered(h), wanted, modelID);
      }
    }
    for (const [providerID, modelID] of [
      ["openrouter", "openai/gpt-5.4"],
      ["github-models", "openai/gpt-5"],
      ["vscode", "copilot/gpt-5.6-sol"],
      ["vscode", "copilot/gpt-5-codex"],
      ["openai", "gpt-7-newer"],
      ["bedrock", "global.openai.gpt-6-astra"],
    ] as const) {
      const h = withModel(providerID, modelID);
      await h.turn();
      assert.deepEqual(offered(h), ["apply_patch"], modelID);
    }
  });

  it("T1 is not for other models", async () => {
    for (const [providerID, modelID] of [
      ["anthropic", "claude-sonnet-5-5"],
      ["gemini", "gemini-4-argon"],
      ["groq", "openai/gpt-oss-120b"],
      ["ollama", "qwen3.8"],
      ["vscode", "copilot/claude-sonnet-5"],
      ["vscode", "copilot/gpt-4o"],
    ] as const) {
      const h = withModel(providerID, modelID);
      await h.turn();
      assert.deepEqual(offered(h), ["write", "edit", "multi_edit"], modelID);
    }
  });

  it("T1 has its grammar with it, for models that take tools with a text as input", async () => {
    const h = withModel("openai", "gpt-6.1-terra");
    await h.turn();
    const definition = h.model.requests[0]?.tools.find(({ name }) => name === "apply_patch");
    assert.equal(definition?.freeform?.argument, "input");
    assert.match(definition?.freeform?.grammar ?? "", /^start: .*"\*\*\* Begin Patch"/s);
  });

  it("T1 does not take the place of tools of which an agent, a rule or a message allows only some", async () => {
    const ofAgent = (switches: Record<string, boolean>) => ({
      project: { agents: new AgentCatalog([agent("build", { mode: "all", tools: switches })]) },
    });
    const denied = (permission: string) => ({ rules: [{ permission, pattern: "*", action: "deny" as const }] });
    for (const [options, wanted] of [
      [ofAgent({ "*": false, read: true, edit: true }), ["edit", "multi_edit"]],
      [ofAgent({ "*": false, edit: true, write: true }), ["apply_patch"]],
      [ofAgent({ write: false }), ["edit", "multi_edit"]],
      [ofAgent({ edit: false }), ["write"]],
      [ofAgent({ edit: false, write: false }), []],
      [ofAgent({ apply_patch: false }), ["write", "edit", "multi_edit"]],
      [denied("write"), ["edit", "multi_edit"]],
    ] as const) {
      const h = open([["Done."]], { tools, choices: { model: gpt }, ...options });
      await h.turn();
      assert.deepEqual(offered(h), wanted, JSON.stringify(options));
    }
  });

  it("T1 T7 keeps the rules for edit and for write", async () => {
    for (const [permission, action, isDone] of [
      ["edit", "allow", true],
      ["write", "allow", true],
      ["multi_edit", "allow", true],
      ["edit", "deny", false],
      ["write", "deny", false],
    ] as const) {
      const h = open([[patch("src/a.txt", "x")], ["Done."]], {
        tools,
        choices: { model: gpt },
        attended: false,
        rules: [{ permission, pattern: "src/*", action }],
      });
      await h.turn();
      assert.equal(h.calls[0]?.state.status === "completed", isDone, `${permission} ${action} ${h.results()}`);
    }
  });

  it("T1 is restricted in Plan, like the tools that it replaces", async () => {
    const h = open([[patch("a.txt", "x")], ["A plan."]], { tools, mode: "plan", choices: { model: gpt } });
    await h.turn();
    const { toolUse } = h.model.requests[0] ?? {};
    assert.ok(typeof toolUse === "object" && !toolUse.only.includes("apply_patch"));
    assert.match(h.results().join(), /^ERROR /);
  });

  it("T1 C7 comes and goes with the model; the other tools are refused with the reason", async () => {
    const edit = { call: "edit", input: { file_path: "a.txt", old_string: "1", new_string: "2" } };
    const h = open([["One."], [edit], ["Two."], ["Three."]], { tools, files: { "a.txt": "1\n" } });
    h.session.choices.model = claude;
    await h.turn("Hi", { model: claude });
    h.session.choices.model = gpt;
    await h.turn("Hi", { model: gpt });
    assert.match(h.results().join(), /edit is not for this model\. Change files with apply_patch\./);
    const said = JSON.stringify(h.model.requests[1]?.entries.at(-1));
    assert.match(said, /may not be used now: write, edit, multi_edit\./);
    assert.match(said, /You are now the model GPT-6\.1 Terra\./);
    assert.match(said, /"added":\[\{"name":"apply_patch"/);
  });

  for (const [own, other] of [
    [claude, gpt],
    [gpt, claude],
  ] as const) {
    it(`S1 a subagent with ${other.modelID} may change files where its parent with ${own.modelID} may`, async () => {
      const helper = agent("helper", { model: `${other.providerID}/${other.modelID}` });
      const h = open(
        [[{ call: "task", input: { description: "Help", prompt: "Help", agent: "helper" } }], ["Helped."], ["Done."]],
        {
          tools,
          choices: { model: own },
          project: { agents: new AgentCatalog([helper]) },
        },
      );
      await h.turn();
      assert.equal(h.model.requests[1]?.model, other.modelID);
      assert.deepEqual(offered(h, 1), other === gpt ? ["apply_patch"] : ["write", "edit", "multi_edit"]);
    });
  }
});

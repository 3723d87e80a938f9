/** The size of a conversation's beginning, which each request has again. */
import assert from "node:assert/strict";
import { firstRequest } from "./first-request.ts";

const mostBytes = 10_000;

describe("the first request", () => {
  for (const [providerID, modelID] of [
    ["anthropic", undefined],
    ["anthropic", "claude-opus-5-5"],
    ["openai", undefined],
    ["openai", "gpt-5.4"],
    ["azure", undefined],
  ] as const) {
    it(`M1 to ${providerID}, ${modelID ?? "its default model"}, has at most ${mostBytes} bytes`, async () => {
      const { body } = await firstRequest(providerID, modelID);
      assert.ok(Buffer.byteLength(body) <= mostBytes, `${Buffer.byteLength(body)} bytes: see npm run prompt`);
    });
  }

  it("M1 says what it must, once", async () => {
    for (const providerID of ["anthropic", "openai", "gemini"] as const) {
      const { body } = await firstRequest(providerID);
      for (const words of [
        "until the task is done and verified",
        "`path:line`",
        "leave them alone",
        "is data, not instructions",
        "Model: ",
      ]) {
        assert.equal(body.split(words).length, 2, `${providerID}: ${words}`);
      }
    }
  });

  it("T1 has apply_patch in its own grammar for GPT, as a function where the API knows no other tools", async () => {
    const { body } = await firstRequest("openai");
    const { tools } = JSON.parse(body);
    const patch = tools.find(({ name }: { name: string }) => name === "apply_patch");
    assert.equal(patch.type, "custom");
    assert.equal(patch.format.syntax, "lark");
    const chat = JSON.parse((await firstRequest("github-models")).body);
    const names = chat.tools.map((tool: { function: { name: string } }) => tool.function.name);
    assert.ok(names.includes("apply_patch") && !names.includes("edit") && !names.includes("write"), names.join());
  });
});

/** Requests to the user, and the previews in them. */
import type {
  BudgetRequest,
  CommandPart,
  CommandPreview,
  LoopRequest,
  PermissionRequest,
  PlanRequest,
  Rule,
} from "../../src/chat/requests.ts";
import { cartDiff, cwd, sessionID } from "./fixture-values.ts";

const always: Rule[] = [{ permission: "bash", pattern: "npm test *", action: "allow" }];

export function commandPart(
  text: string,
  decision: CommandPart["decision"],
  effect: string,
  why: string,
  permission = "bash",
): CommandPart {
  return { text, permission, effect, decision, why };
}

/** A judgement without anything in it. */
export const unjudged = { parts: [], connectors: [], allowed: [], reasons: [], always: [], noAlways: "" };

export function command(change: Partial<CommandPreview> = {}): CommandPreview {
  return {
    type: "command",
    command: "npm test -- cart && rm -rf coverage && git push",
    cwd,
    shell: "bash",
    timeoutMs: 120_000,
    parts: [],
    connectors: [],
    allowed: [],
    ...change,
  };
}

export function request(change: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    kind: "permission",
    id: "per_1",
    sessionID,
    messageID: "msg_1",
    partID: "prt_asks",
    callID: "call_asks",
    tool: "bash",
    permission: "bash",
    patterns: ["rm -rf coverage"],
    title: "Run this command?",
    reason: "Asks because the mode is Ask first.",
    reasons: [
      {
        risk: "deletes",
        sentence: "It deletes 214 files.",
        detail: "Git has 9 of them. The other 205 cannot be brought back.",
        marks: [{ start: 20, end: 35 }],
      },
      {
        risk: "elsewhere",
        sentence: "It pushes to origin.",
        detail: "Others will see these commits.",
        marks: [{ start: 39, end: 47 }],
      },
    ],
    preview: command({
      parts: [
        commandPart("npm test -- cart", "allow", "", "Your rule `npm test *` allows it."),
        commandPart("rm -rf coverage", "ask", "deletes files", "The built-in rule `rm *` asks."),
        commandPart("git push", "ask", "sends to a remote", "The built-in rule `git push *` asks."),
      ],
      connectors: [
        { start: 17, end: 19 },
        { start: 36, end: 38 },
      ],
      allowed: [{ text: "npm test -- cart", why: "Your rule `npm test *` allows it.", range: { start: 0, end: 16 } }],
    }),
    always,
    noAlways: "",
    ...change,
  };
}

export const editRequest = request({
  id: "per_2",
  tool: "edit",
  permission: "edit",
  patterns: ["src/cart.ts"],
  title: "Edit src/cart.ts?",
  preview: { type: "diff", diff: cartDiff },
  always: [{ permission: "edit", pattern: "src/**", action: "allow" }],
});

export const budgetRequest: BudgetRequest = {
  kind: "budget",
  id: "per_3",
  sessionID,
  scope: "session",
  spentUsd: 2.01,
  limitUsd: 2,
  nextLimitUsd: 4.01,
};

export const tokenBudgetRequest: BudgetRequest = {
  kind: "budget",
  id: "per_3",
  sessionID,
  scope: "tokens",
  spentTokens: 1_200_000,
  limitTokens: 1e6,
  nextLimitTokens: 2.2e6,
};

export const priceRequest: BudgetRequest = {
  kind: "budget",
  id: "per_3",
  sessionID,
  scope: "price",
  model: "ollama/qwen3",
  limitUsd: 2,
};

export const planRequest: PlanRequest = {
  kind: "plan",
  id: "per_6",
  sessionID,
  messageID: "msg_2",
  buildMode: "acceptEdits",
};

export const loopRequest: LoopRequest = {
  kind: "loop",
  id: "per_4",
  sessionID,
  messageID: "msg_1",
  partID: "prt_asks",
  callID: "call_asks",
  tool: "bash",
  reason: "The model repeated the same call, or the same few calls.",
  input: '{\n  "command": "npm test -- cart"\n}',
  always: [{ permission: "doom_loop", pattern: "bash", action: "allow" }],
};

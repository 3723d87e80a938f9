/** All possible answers to each kind of request. */
import { never } from "../../src/base/never.ts";
import type { Answer, UserRequest } from "../../src/chat/requests.ts";

/** Without a reason the turn stops. */
export const denyWith = (words: string) => ({ kind: "permission", type: "deny", words }) as const;
export const continueLoop = { kind: "loop", type: "continue" } as const;
export const stopLoop = { kind: "loop", type: "stop" } as const;
export const continueBudget = { kind: "budget", type: "continue" } as const;
export const continueTo = (limit: number | "none") => ({ ...continueBudget, limit }) as const;
export const finishStep = { kind: "budget", type: "finish" } as const;
export const stopBudget = { kind: "budget", type: "stop" } as const;
export const choose = (...choices: string[][]) => ({ kind: "choices", type: "chosen", choices }) as const;
export const skip = (words = "") => ({ kind: "choices", type: "skip", words }) as const;

export function answersTo(request: UserRequest): Answer[] {
  switch (request.kind) {
    case "permission": {
      const { kind, always: rules } = request;
      return [
        { kind, type: "once" },
        { kind, type: "input", input: { command: "echo changed" } },
        { kind, type: "command", command: "echo changed" },
        { kind, type: "always", rules },
        { kind, type: "deny", words: "Not so." },
        { kind, type: "deny", words: "" },
      ];
    }
    case "choices":
      return [choose(...request.questions.map(({ options }) => options.slice(0, 1).map(({ label }) => label))), skip()];
    case "plan":
      return [
        { kind: "plan", type: "build", mode: "default" },
        { kind: "plan", type: "build", mode: "acceptEdits" },
        { kind: "plan", type: "keep" },
      ];
    case "budget":
      return [continueBudget, stopBudget, continueTo(1e6), continueTo("none"), finishStep];
    case "loop": {
      const { kind, always: rules } = request;
      return [
        continueLoop,
        { kind, type: "always", rules },
        { kind, type: "hint", words: "Look elsewhere." },
        stopLoop,
      ];
    }
    default:
      return never(request);
  }
}

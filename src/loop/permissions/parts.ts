/** The permissions that a call requires, one by one, for the card and the rules page. */

import type { CommandPart } from "../../chat/requests.ts";
import type { CommandJudgement } from "../../chat/rule-views.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Host } from "../../tools/host.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { nobodyToAsk, noDelegate, type PermissionRequirement, ToolError } from "../../tools/tool.ts";
import { allowedParts, effectsOf, noAlwaysFor, reasonsOf } from "./reasons.ts";
import { alwaysRules, type Judgement, strictest } from "./rules.ts";

export function partsOf(
  needs: readonly PermissionRequirement[],
  judge: (need: PermissionRequirement) => Judgement,
): CommandPart[] {
  return needs.map((need) => {
    const { decision, why } = judge(need);
    return { text: need.pattern, permission: need.permission, effect: need.effect, decision, why };
  });
}

/**
 * Judges a command without running it. `outsideSandbox`: why it is to leave the sandbox; empty if it is not.
 * @throws ToolError when it cannot be analysed; the signal's reason on abort
 */
export async function judgeCommand(
  command: string,
  { host, tools }: { host: Host; tools: Pick<ToolRegistry, "get"> },
  judge: (need: PermissionRequirement, tool: string) => Judgement,
  signal: AbortSignal,
  outsideSandbox = "",
): Promise<CommandJudgement> {
  const bash = tools.get("bash");
  if (!bash) throw new ToolError(msg("Commands are switched off."));
  const bare = { callID: "", seen: new Map(), delegate: noDelegate, askUser: nobodyToAsk };
  const { requires, effects } = await bash.prepare(
    { command, outside_sandbox: outsideSandbox },
    { host, signal, ...bare },
  );
  const judged = (need: PermissionRequirement) => judge(need, bash.name);
  const all = requires.map((need) => ({ need, judgement: judged(need) }));
  const asking = all.filter(({ judgement }) => judgement.decision === "ask");
  const decision = strictest(all.map(({ judgement }) => judgement));
  const needs = asking.map(({ need }) => need);
  const always = alwaysRules(needs);
  const found = await effectsOf({ effects }, signal);
  const reasons = reasonsOf(asking, found);
  return {
    command,
    decision,
    parts: partsOf(requires, judged),
    connectors: found.connectors,
    allowed: allowedParts(all, command),
    reasons,
    always,
    noAlways: decision === "ask" && always.length === 0 ? noAlwaysFor(needs, reasons) : "",
  };
}

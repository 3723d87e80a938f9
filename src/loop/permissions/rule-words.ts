/** What a rule says of a requirement, in whole sentences: other languages order their words otherwise. */
import type { Rule } from "../../chat/requests.ts";
import { msg } from "../../l10n/l10n.ts";

/** `agent`: whose rule it is; undefined: the user's. */
export function ruleSays({ pattern, action }: Rule, agent: string | undefined): string {
  if (agent === undefined) {
    return {
      allow: msg("Your rule `{0}` allows it.", pattern),
      ask: msg("Your rule `{0}` asks it.", pattern),
      deny: msg("Your rule `{0}` denies it.", pattern),
    }[action];
  }
  return {
    allow: msg("The agent {0}'s rule `{1}` allows it.", agent, pattern),
    ask: msg("The agent {0}'s rule `{1}` asks it.", agent, pattern),
    deny: msg("The agent {0}'s rule `{1}` denies it.", agent, pattern),
  }[action];
}

/** For a rule of an agent that narrows what another one may do. */
export function narrowingRuleSays({ pattern, action }: Rule, agent: string): string {
  return {
    allow: msg("The rule `{0}` of the agent {1} allows it.", pattern, agent),
    ask: msg("The rule `{0}` of the agent {1} asks it.", pattern, agent),
    deny: msg("The rule `{0}` of the agent {1} denies it.", pattern, agent),
  }[action];
}

/** For a rule of an agent about something that a command may run. */
export function narrowingRuleMaySay({ pattern, action }: Rule, agent: string): string {
  return action === "deny"
    ? msg("The rule `{0}` of the agent {1} denies what it may run.", pattern, agent)
    : msg("The rule `{0}` of the agent {1} asks what it may run.", pattern, agent);
}

/** For a rule about something that a command may run or change. `agent`: as above. */
export function ruleMaySay({ pattern, action }: Rule, does: "run" | "change", agent: string | undefined): string {
  const denies = action === "deny";
  if (agent === undefined) {
    if (does === "run") {
      return denies
        ? msg("Asks because it may run what your rule `{0}` denies.", pattern)
        : msg("Asks because it may run what your rule `{0}` asks.", pattern);
    }
    return denies
      ? msg("Asks because it may change what your rule `{0}` denies.", pattern)
      : msg("Asks because it may change what your rule `{0}` asks.", pattern);
  }
  if (does === "run") {
    return denies
      ? msg("Asks because it may run what the agent {0}'s rule `{1}` denies.", agent, pattern)
      : msg("Asks because it may run what the agent {0}'s rule `{1}` asks.", agent, pattern);
  }
  return denies
    ? msg("Asks because it may change what the agent {0}'s rule `{1}` denies.", agent, pattern)
    : msg("Asks because it may change what the agent {0}'s rule `{1}` asks.", agent, pattern);
}

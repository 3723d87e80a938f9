/** What models and users are told about the sandbox, and what a command needs to run outside of it. */
import { msg } from "../../l10n/l10n.ts";
import type { CommandSandbox } from "../host.ts";
import { outsidePermission, type PermissionRequirement } from "../tool.ts";

type Mode = CommandSandbox["mode"];

export const sandboxDescription =
  "Commands run in a sandbox: they can write only in the workspace and in /tmp, which is their own, not to settings such as .git/config, and may have no network.";

const refused = [
  /read-only file system|\bEROFS\b/i,
  /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b|device or resource busy|\bEBUSY\b/i,
  /network is unreachable|\bENETUNREACH\b|connection refused|\bECONNREFUSED\b/i,
  /could not resolve|name resolution|name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|getaddrinfo|no such host/i,
  /^bwrap: /m,
  // Programs whose right to change the user is void in it.
  /effective uid is not 0|no new privileges/i,
];

/** Returns what to do when a command may have failed because of the sandbox; undefined if nothing points to it. */
export function sandboxHint(mode: Mode, output: string): string | undefined {
  if (!refused.some((pattern) => pattern.test(output))) return undefined;
  return `The command ran in a sandbox: ${limitsOf(mode)}. If it failed for that reason, and there is no way within these limits, call bash again with outside_sandbox and the reason. The user will be asked.`;
}

function limitsOf(mode: Mode): string {
  const writes = "it can write only in the workspace and in /tmp, not to settings there or in .git";
  return mode === "workspace"
    ? `${writes}, and it has no network, not even to servers that other commands have started`
    : `${writes}; sockets of programs such as Docker and ssh-agent, and keys in the home folder, are hidden`;
}

/** `problem`: why the sandbox cannot be had, from "it needs …" to a full stop. */
export function withoutSandbox(mode: Mode, problem: string): string {
  return `The command was not run. It must run in a sandbox (${mode}), which cannot be used: ${problem} Tell the user. To run this command without it, call bash again with outside_sandbox and the reason; the user will be asked.`;
}

/** `requires`: what the command needs anyway. `reason`: the model's words. */
export function outsideRequirements(
  requires: readonly PermissionRequirement[],
  command: string,
  reason: string,
): PermissionRequirement[] {
  const commands = requires.filter(({ permission }) => permission === "bash");
  const words = reason.replace(/\s+/g, " ").trim();
  const effect = msg("The model's reason: {0}", words.length > 200 ? `${words.slice(0, 200)}…` : words);
  const whole: PermissionRequirement = {
    permission: outsidePermission,
    pattern: command,
    suggestedRule: undefined,
    match: "exact",
    protection: "none",
    effect,
  };
  return commands.length === 0 ? [whole] : commands.map((one) => ({ ...one, permission: outsidePermission, effect }));
}

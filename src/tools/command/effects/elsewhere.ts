/** Tells what a program changes on other machines: pushes, publishes, deploys. Pure. */
import { msg } from "../../../l10n/l10n.ts";
import { isFlag, plainWords } from "../programs/arguments.ts";
import { hostsIn } from "./network-code.ts";

export interface RemoteChange {
  /** "It pushes main to origin." */
  sentence: string;
  detail: string;
}

/** `words`: the program's name without its folder, then its arguments. */
export function remoteChange(words: readonly string[]): RemoteChange | undefined {
  const [program = "", ...rest] = words;
  return Object.hasOwn(programs, program) ? programs[program]?.(rest) : undefined;
}

type Teller = (words: readonly string[]) => RemoteChange | undefined;

const says = (sentence: string, detail = ""): RemoteChange => ({ sentence, detail });

/** Sub-commands that only look, so that all others count as changes. */
const looks =
  /^(list|ls|get|describe|show|status|view|diff|log|logs|search|help|version|info|inspect|top|explain|whoami)$/;

const programs: Readonly<Record<string, Teller>> = {
  git: ([verb, ...rest]) => (verb === "push" ? push(rest) : undefined),
  gh: (words) => hosted("GitHub", "gh", words),
  glab: (words) => hosted("GitLab", "glab", words),
  npm: (words) => published("npm", words),
  pnpm: (words) => published("npm", words),
  yarn: (words) => published("npm", words[0] === "npm" ? words.slice(1) : words),
  cargo: (words) => published("crates.io", words),
  gem: (words) => (words[0] === "push" ? says(msg("It publishes a package on rubygems.org."), forEver) : undefined),
  twine: (words) => (words[0] === "upload" ? says(msg("It publishes a package on PyPI."), forEver) : undefined),
  uv: (words) => (words[0] === "publish" ? says(msg("It publishes a package on PyPI."), forEver) : undefined),
  vsce: (words) => (words[0] === "publish" ? says(msg("It publishes an extension."), forEver) : undefined),
  docker: (words) => pushedImage(words),
  podman: (words) => pushedImage(words),
  kubectl: (words) =>
    cluster(
      words,
      /^(apply|create|delete|edit|patch|replace|scale|rollout|set|label|annotate|drain|cordon|uncordon|taint|expose|run|exec|cp|autoscale)$/,
    ),
  helm: (words) => cluster(words, /^(install|upgrade|uninstall|delete|del|rollback|push)$/),
  terraform: (words) => infrastructure(words),
  tofu: (words) => infrastructure(words),
  pulumi: (words) =>
    /^(up|update|destroy|import|refresh)$/.test(plainWords(words)[0] ?? "")
      ? says(msg("It changes your cloud infrastructure."))
      : undefined,
  aws: (words) => cloud("AWS", words),
  gcloud: (words) => cloud("Google Cloud", words),
  az: (words) => cloud("Azure", words),
  ssh: (words) => onHost(words),
  scp: (words) => copied(words),
  rsync: (words) => copied(words),
  curl: (words) => sentByCurl(words),
  wget: (words) => (words.some((word) => /^--(post|body|method)/.test(word)) ? sentTo(words) : undefined),
};

const forEver = msg("What is published can hardly be taken back.");

function push(words: readonly string[]): RemoteChange {
  const [remote, ...refs] = plainWords(words);
  const where = remote ?? msg("its remote");
  const deleted = words.some((word) => /^(-d|--delete)$/.test(word)) || refs.some((ref) => ref.startsWith(":"));
  const names = refs.map((ref) => ref.replace(/^[+:]/, "")).join(", ");
  if (deleted) return says(msg("It deletes {0} on {1}.", names || "branches", where), msg("Others lose it, too."));
  const forced = words.some((word) => /^(-f|--force|--mirror)$/.test(word)) || refs.some((ref) => ref.startsWith("+"));
  const what = words.includes("--all")
    ? msg("all branches")
    : words.includes("--tags")
      ? msg("all tags")
      : names || msg("this branch");
  const detail = forced
    ? msg("It replaces what is there (--force). Commits of others can be lost.")
    : words.some((word) => word.startsWith("--force-with-lease"))
      ? msg("It replaces what is there, if nobody else has changed it.")
      : "";
  return says(msg("It pushes {0} to {1}.", what, where), detail);
}

function hosted(name: string, program: string, words: readonly string[]): RemoteChange | undefined {
  const [group = "", verb = ""] = plainWords(words);
  if (group === "api") {
    const method = words.find((_, at) => /^(-X|--method)$/.test(words[at - 1] ?? ""));
    const sends = words.some((word) => /^(-f|-F|--field|--raw-field|--input)$/.test(word));
    return (method !== undefined && method !== "GET") || sends
      ? says(msg("It changes something on {0}.", name))
      : undefined;
  }
  if (!/^(pr|mr|issue|release|repo|gist|workflow|run|secret|variable|label|project|cache|ruleset|ci)$/.test(group))
    return undefined;
  if (looks.test(verb) || /^(checkout|clone|download|watch|checks|lint|trace|)$/.test(verb)) return undefined;
  return says(msg("It changes something on {0}: {1} {2} {3}.", name, program, group, verb));
}

function published(where: string, words: readonly string[]): RemoteChange | undefined {
  const [verb = "", second = ""] = plainWords(words);
  if (words.some((word) => word === "--dry-run")) return undefined;
  if (verb === "publish") return says(msg("It publishes this package on {0}.", where), forEver);
  if (/^(unpublish|deprecate|yank|owner|access)$/.test(verb)) return says(msg("It changes a package on {0}.", where));
  return /^(dist-tag)$/.test(verb) && !/^(ls|list)$/.test(second)
    ? says(msg("It changes a package on {0}.", where))
    : undefined;
}

function pushedImage(words: readonly string[]): RemoteChange | undefined {
  const plain = plainWords(words);
  const at = plain.indexOf("push");
  const image = plain[at + 1];
  return at === 0 || (at === 1 && /^(image|compose|manifest)$/.test(plain[0] ?? ""))
    ? says(msg("It uploads {0} to a registry.", image ?? "images"))
    : undefined;
}

function cluster(words: readonly string[], changes: RegExp): RemoteChange | undefined {
  const [verb = "", second = ""] = plainWords(words);
  if (!changes.test(verb) || (verb === "rollout" && /^(status|history)$/.test(second))) return undefined;
  if (words.some((word) => word.startsWith("--dry-run"))) return undefined;
  const isDeletion = /^(delete|del|uninstall|drain)$/.test(verb);
  return says(msg("It changes the cluster."), isDeletion ? msg("It deletes what runs there.") : "");
}

function infrastructure(words: readonly string[]): RemoteChange | undefined {
  const [verb = ""] = plainWords(words);
  if (!/^(apply|destroy|import|taint|untaint|state)$/.test(verb)) return undefined;
  const isDeletion = verb === "destroy" || words.some((word) => /^--?destroy$/.test(word));
  return says(msg("It changes your cloud infrastructure."), isDeletion ? msg("It destroys all of it.") : "");
}

function cloud(name: string, words: readonly string[]): RemoteChange | undefined {
  const verbs = plainWords(words);
  const changes =
    /^(create|delete|update|put|set|add|remove|deploy|start|stop|terminate|run|modify|attach|detach|cp|mv|rm|sync|mb|rb|reboot|enable|disable|invoke|publish)(-|$)/;
  const verb = verbs.slice(1).find((word) => changes.test(word));
  return verb === undefined ? undefined : says(msg("It changes something in {0}.", name));
}

function onHost(words: readonly string[]): RemoteChange | undefined {
  const host = plainWords(words).find((word) => !/^-[bceiJlLmopRSwWDEFI]$/.test(words[words.indexOf(word) - 1] ?? ""));
  return host === undefined ? undefined : says(msg("It runs on another machine: {0}.", host));
}

function copied(words: readonly string[]): RemoteChange | undefined {
  const target = plainWords(words).at(-1) ?? "";
  const host = /^(?:rsync:\/\/)?([^/\s:]+):/.exec(target)?.[1];
  return host === undefined ? undefined : says(msg("It copies files to {0}.", host));
}

function sentByCurl(words: readonly string[]): RemoteChange | undefined {
  const method = words.find((_, at) => /^(-X|--request)$/.test(words[at - 1] ?? ""));
  const sends = words.some(
    (word) => /^(-d|-F|-T|--data.*|--form.*|--upload-file|--json)(=|$)/.test(word) || /^-[dFT]./.test(word),
  );
  const isGet = words.some((word) => /^(-G|--get)$/.test(word));
  return sends && !isGet ? sentTo(words) : method && !/^(GET|HEAD|OPTIONS)$/i.test(method) ? sentTo(words) : undefined;
}

function sentTo(words: readonly string[]): RemoteChange {
  const [host] = hostsIn(` ${words.filter((word) => !isFlag(word)).join(" ")}`);
  return says(host === undefined ? msg("It sends data to the network.") : msg("It sends data to {0}.", host));
}

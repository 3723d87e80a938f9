/** Programs that print passwords, keys and tokens which they or the system keep. Pure. */
import type { TextMatcher } from "../../text/wildcard.ts";
import { type GivenWords, hasArgument, nameMatcher } from "./arguments.ts";

/**
 * For each program, what makes it print one: plain words in this order, and options anywhere (see `ArgumentPattern`), all
 * of them; `|` separates alternatives, `*` stands for any characters. An empty text: always.
 */
const printing: Readonly<Record<string, readonly string[]>> = {
  // gh-auth-token(1), gh-auth-status(1)
  gh: ["auth token", "auth status -t|--show-token"],
  // https://docs.gitlab.com/cli/auth/status, /config/get
  glab: ["auth status -t|--show-token", "config get *token*"],
  // git-credential(1) 2.51, gitcredentials(7)
  git: ["credential fill", "credential-* get"],
  // https://docs.docker.com/reference/cli/docker/login: what credential helpers understand
  "docker-credential-*": ["get|list"],
  // https://docs.aws.amazon.com/cli/latest/reference
  aws: [
    ...["configure export-credentials", "configure get *secret*|*token*|*key*", "ecr get-login-password"],
    ...["secretsmanager get-secret-value|batch-get-secret-value", "ssm get-parameter* --with-decryption"],
    ...["sts assume-role*|get-session-token|get-federation-token", "sso get-role-credentials", "eks get-token"],
    ...["ecr-public get-login-password", "codeartifact get-authorization-token|login", "rds generate-db-auth-token"],
    ...["iam create-access-key", "kms decrypt", "lambda get-function-configuration"],
  ],
  // https://cloud.google.com/sdk/gcloud/reference
  gcloud: [
    ...["auth print-access-token|print-identity-token|print-refresh-token", "secrets versions access"],
    ...["config config-helper", "iam service-accounts keys create"],
  ],
  // https://learn.microsoft.com/cli/azure/reference-index
  az: [
    ...["account get-access-token", "keyvault secret show|download", "acr login --expose-token"],
    ...["acr credential show", "storage account keys list", "storage account show-connection-string"],
    ...["webapp|functionapp config appsettings list", "aks get-credentials", "* list-keys|listkeys|regenerate-key"],
  ],
  // https://kubernetes.io/docs/reference/kubectl: without an output format, the names alone
  "kubectl oc k": [
    ...[
      "get secret|secrets|secret/*|secrets/*|secret,*|secrets,*|*,secret|*,secrets|*,secret,*|*,secrets,* -o|--output*|--template*",
    ],
    ...["config view --raw*", "create token"],
  ],
  // https://helm.sh/docs/helm/helm_get_values
  helm: ["get values|all|manifest"],
  // https://developer.hashicorp.com/vault/docs/commands
  "vault bao": ["read|unwrap", "kv get", "print token", "token create|lookup", "login -token-only"],
  // https://developer.hashicorp.com/terraform/cli/commands
  "terraform tofu": ["output -raw|-json", "state pull", "show -json"],
  // https://www.pulumi.com/docs/iac/cli/commands
  pulumi: ["config|stack --show-secrets", "config get", "env open", "env get --show-secrets"],
  // https://developer.1password.com/docs/cli/reference
  op: ["read|inject|run|signin", "item get|template", "document get", "account add", "connect token create"],
  // https://bitwarden.com/help/cli
  "bw bws rbw": ["get|list|export|unlock|login"],
  // lpass(1), pass(1), gopass(1): without a known sub-command, pass shows what it names
  lpass: ["show|export"],
  "pass gopass": [""],
  // secret-tool(1), kwallet-query(1), keyctl(1), security(1) of macOS
  "secret-tool": ["lookup|search"],
  "kwallet-query": ["-r|--read-password"],
  keyctl: ["print|pipe|read|search"],
  security: [
    ...["find-generic-password -w|-g", "find-internet-password -w|-g", "dump-keychain -d", "export"],
    "find-key|find-identity -p",
  ],
  // https://pypi.org/project/keyring
  keyring: ["get"],
  // gpg(1) 2.2, which takes abbreviations, too
  "gpg gpg2": ["--export-se*"],
  // https://getsops.io/docs, https://docs.ansible.com/ansible/latest/cli/ansible-vault.html
  sops: ["decrypt|exec-env|exec-file", "-d|--decrypt"],
  "ansible-vault": ["view|decrypt|edit"],
  // https://docs.doppler.com/docs/cli, https://github.com/segmentio/chamber, https://github.com/sorah/envchain
  doppler: ["secrets", "run", "configure get token"],
  "chamber aws-vault": ["read|export|exec|env"],
  envchain: [""],
  // https://devcenter.heroku.com/articles/heroku-cli-commands, https://fly.io/docs/flyctl
  heroku: ["config|config:get|auth:token|authorizations:create|pg:credentials:url"],
  "fly flyctl": ["auth token", "tokens create", "config env"],
  // https://vercel.com/docs/cli/env, https://docs.netlify.com/cli, https://docs.railway.com/reference/cli-api
  vercel: ["env pull"],
  netlify: ["env:list|env:get"],
  railway: ["variables|variable"],
  supabase: ["status", "projects api-keys"],
  stripe: ["config --list"],
  // nmcli(1), wg(8)
  nmcli: ["-s|--show-secrets"],
  wg: ["showconf|genkey|genpsk", "show * private-key|preshared-keys|dump"],
  // getent(1)
  getent: ["shadow|gshadow"],
};

const byName = new Map(
  Object.entries(printing).flatMap(([names, uses]) => names.split(" ").map((name) => [name, uses])),
);

/** `program`: its base name. */
export function showsStoredSecret(program: string, words: GivenWords): boolean {
  const helper = program.startsWith("docker-credential-") ? "docker-credential-*" : program;
  return byName.get(helper)?.some((use) => isMet(readUse(use), words)) ?? false;
}

interface Use {
  plain: readonly TextMatcher[];
  /** Alternatives of each option. */
  options: readonly string[];
}

const known = new Map<string, Use>();

function readUse(text: string): Use {
  const before = known.get(text);
  if (before) return before;
  const words = text.split(" ").filter((word) => word !== "");
  const isOption = (word: string) => word.startsWith("-");
  const use: Use = {
    plain: words.filter((word) => !isOption(word)).map((word) => nameMatcher(word.split("|"))),
    options: words.filter(isOption).map((word) => word.replaceAll("|", " ")),
  };
  known.set(text, use);
  return use;
}

/** An unknown word may be any of the plain ones, if another one is there. */
function isMet({ plain, options }: Use, words: GivenWords): boolean {
  const given = words.flatMap((word) => (word === undefined ? [] : [word, word.replace(/=.*/s, "")]));
  if (!options.every((option) => hasArgument(option, given))) return false;
  let from = 0;
  let isSure = plain.length === 0;
  for (const isName of plain) {
    const at = words.findIndex((word, index) => index >= from && (word === undefined || isName(word)));
    if (at < 0) return false;
    isSure ||= words[at] !== undefined;
    from = at + 1;
  }
  return isSure;
}

/** What each kind of question says outside of its card, and what becomes of it without the user. */
import { never } from "../base/never.ts";
import { english, formatted, language, localized, localizedTitle, msg, t } from "../l10n/l10n.ts";
import type { AnswerTo, BudgetRequest, CallRequest, PermissionRequest, RequestOf, UserRequest } from "./requests.ts";

type Kind = UserRequest["kind"];

export const loopTitle = t("The model repeats itself. Continue?");
export const planTitle = t("The plan is ready.");

const money = (usd: number) => formatted(Number(usd.toFixed(2)), { style: "currency", currency: "USD" });

export function budgetTitle(request: BudgetRequest): string {
  switch (request.scope) {
    case "session":
      return t("This session has cost {0}. Continue?", money(request.spentUsd));
    case "day":
      return t("Today's sessions have cost {0}. Continue?", money(request.spentUsd));
    case "tokens":
      return t("This session has used {0} tokens. Continue?", formatted(request.spentTokens));
    case "price":
      return t("The price of {0} is unknown. Continue without a budget?", request.model);
    default:
      return never(request);
  }
}

// Tables of their own, so that the panel and the command line load only what they use.

const titles: { [K in Kind]: (request: RequestOf<K>) => string } = {
  permission: ({ title }) => localizedTitle(title),
  choices: ({ questions }) => questionsTitle(questions.map(({ question }) => question)),
  plan: () => planTitle,
  budget: budgetTitle,
  loop: () => loopTitle,
};

/** What is said outside of the panel; it may hold words of the model. */
const sentences: { [K in Kind]: (request: RequestOf<K>) => string } = {
  permission: permissionWords,
  choices: (request) => t("Rondo has a question: {0}", titleOf(request)),
  plan: () => t("Rondo has a plan for you to read."),
  budget: budgetTitle,
  loop: () => loopTitle,
};

interface RequestKind<R extends UserRequest> {
  /** What it is about, in a sentence about an answer to another question. */
  subject(): string;
  /** Its answer when the user stops the turn. `withdrawn`: nothing can answer it any more. `stays`: it is no part of the turn. */
  stopped: AnswerTo<R> | "withdrawn" | "stays";
  /** What a program answers that runs Rondo: about a call, its `canUseTool` decides. `stays`: it sends the next prompt. */
  program: R extends CallRequest ? "canUseTool" : AnswerTo<R> | "stays";
}

const kinds: { [K in Kind]: RequestKind<RequestOf<K>> } = {
  permission: {
    subject: () => msg("a permission"),
    stopped: { kind: "permission", type: "deny", words: "" },
    program: "canUseTool",
  },
  choices: { subject: () => msg("the model's questions"), stopped: "withdrawn", program: "canUseTool" },
  plan: { subject: () => msg("a plan"), stopped: "stays", program: "stays" },
  budget: {
    subject: () => msg("the budget"),
    stopped: { kind: "budget", type: "stop" },
    // The program sets the budget beforehand: a reached limit ends the run.
    program: { kind: "budget", type: "stop" },
  },
  loop: { subject: () => msg("a repeated call"), stopped: { kind: "loop", type: "stop" }, program: "canUseTool" },
};

// TypeScript does not relate a question to the entry of its kind.

export function titleOf(request: UserRequest): string {
  return (titles[request.kind] as (request: UserRequest) => string)(request);
}

export function sentenceOf(request: UserRequest): string {
  return (sentences[request.kind] as (request: UserRequest) => string)(request);
}

export function subjectOf(kind: Kind): string {
  return kinds[kind].subject();
}

export function whenStopped({ kind }: UserRequest) {
  return kinds[kind].stopped;
}

/** Returns what a program answers that does not decide about calls. */
export function answerOfProgram({ kind }: Exclude<UserRequest, CallRequest>) {
  return kinds[kind].program;
}

export function isAboutCall(request: UserRequest): request is CallRequest {
  return "callID" in request;
}

function questionsTitle(questions: readonly string[]): string {
  return questions.length === 1
    ? questions.join()
    : t("Rondo asks {0} things. {1}", questions.length, questions.join(" "));
}

function permissionWords(request: PermissionRequest): string {
  const reason = request.reasons[0]?.sentence ?? "";
  // One sentence in English, which orders its words so; other languages say it in two.
  if (/^en\b/.test(language()) && request.preview.type === "command" && reason.startsWith("It "))
    return english(`${wishOf(request)} that ${reason.slice("It ".length)}`);
  const sentence = localized(reason);
  return `${wishOf(request)}.${sentence && ` ${sentence}`}`;
}

function wishOf({ preview, tool }: PermissionRequest): string {
  switch (preview.type) {
    case "command":
      return t("Rondo wants to run a command");
    case "diff":
      return t("Rondo wants to change {0}", preview.diff.path);
    case "diffs":
      return t("Rondo wants to change {0} files", preview.diffs.length);
    case "deletion":
      return preview.files.length === 1
        ? t("Rondo wants to delete {0}", preview.files[0]?.path ?? "")
        : t("Rondo wants to delete {0} files", preview.files.length);
    case "page":
      return t("Rondo wants to read a web page");
    case "arguments":
      return preview.server === ""
        ? t("Rondo wants to use the tool {0}", preview.tool)
        : t("Rondo wants to use the tool {0} of {1}", preview.tool, preview.server);
    case "path":
    case "secret":
      return t("Rondo wants to use {0}", preview.path);
    case "text":
      return t("Rondo wants to use the tool {0}", tool);
    default:
      return never(preview);
  }
}

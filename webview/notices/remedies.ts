/** What leads on from a turn that ended before the model was done: for each cause one button that solves it, then others. */

import type { Chat } from "../../src/chat/apply.ts";
import type { SessionInfo } from "../../src/chat/events.ts";
import type { ErrorCode, ModelRef } from "../../src/chat/message.ts";
import { t } from "../../src/l10n/l10n.ts";
import { lastShown } from "../conversation/message-groups.ts";

export type Remedy =
  | "set-key"
  | "add-credit"
  | "use-nearest"
  | "choose-model"
  | "switch-model"
  | "go-on-with"
  | "change-address"
  | "choose-agent"
  | "try-again"
  /** Gives the turn as many replies again. */
  | "continue"
  /** Sends “Go on.” */
  | "go-on"
  | "compact"
  | "compact-and-go-on"
  | "new-session"
  | "write"
  | "change-time"
  | "change-replies"
  | "raise-budget"
  | "show-log";

type Remedies = readonly [Remedy, ...Remedy[]];

/** Those that the user has caused need none. */
type FailureCode = Exclude<ErrorCode, "aborted">;
type LimitEnd = "turn-limit" | "budget";
type EndCause = FailureCode | LimitEnd;

const key: Remedies = ["set-key", "switch-model", "try-again"];
const otherModel: Remedies = ["choose-model", "try-again"];
const busyServer: Remedies = ["try-again", "go-on-with", "show-log"];
const agent: Remedies = ["choose-agent", "try-again"];

/** A remedy that is not to be had, such as credit where there is no page for it, leaves its place to the next one. */
export const remediesOf: Readonly<Record<EndCause, Remedies>> = {
  "no-key": key,
  auth: key,
  quota: ["add-credit", "switch-model", "try-again"],
  "unknown-model": ["use-nearest", "choose-model", "try-again"],
  "no-access": otherModel,
  flagged: otherModel,
  refusal: otherModel,
  "images-refused": otherModel,
  "empty-reply": ["try-again", "switch-model"],
  network: ["try-again", "change-address", "go-on-with", "show-log"],
  overloaded: busyServer,
  "rate-limit": busyServer,
  server: busyServer,
  "thoughts-refused": ["try-again", "show-log"],
  invalid: ["try-again", "switch-model", "show-log"],
  "context-full": ["new-session", "switch-model", "try-again"],
  "compaction-off": ["compact-and-go-on", "new-session", "switch-model"],
  compaction: ["compact", "new-session", "show-log"],
  paused: ["go-on"],
  "max-tokens": ["go-on"],
  "execution-timeout": ["try-again", "change-time"],
  "turn-limit": ["continue", "change-replies"],
  budget: ["raise-budget", "switch-model"],
  "price-unknown": ["switch-model", "try-again"],
  hook: ["go-on", "show-log"],
  "doom-loop": ["write"],
  "agent-not-found": agent,
  "agent-invalid": agent,
  "prompt-invalid": ["write"],
  "session-terminated": ["new-session"],
  "session-locked": ["try-again", "new-session"],
  "queue-full": ["try-again"],
  record: ["try-again", "new-session", "show-log"],
  bug: ["try-again", "show-log"],
  other: ["try-again", "show-log"],
};

/** Sentences in place of the error's own, which name commands and options of the command line. */
export const nextWords: Readonly<Partial<Record<EndCause, string>>> = {
  "unknown-model": t("Your message is kept."),
  paused: t("“Continue” sends “Go on.”"),
  "max-tokens": t("“Continue” sends “Go on.”"),
  hook: t("“Continue” sends “Go on.”"),
  "execution-timeout": t("Nothing is lost: Rondo goes on from here."),
  "price-unknown": t("A limit in USD needs the price of the model."),
  "compaction-off": t("Compacting gives the model a summary instead of the messages so far."),
};

export interface EarlyEnd {
  cause: EndCause;
  message: string;
  next: string;
  /** The model that was asked; undefined where no reply tells. */
  model: ModelRef | undefined;
}

const limitEnds: Readonly<Record<LimitEnd, Pick<EarlyEnd, "message" | "next">>> = {
  "turn-limit": {
    message: t("Rondo reached the limit of replies to one message."),
    next: t("Nothing is lost: it goes on from here."),
  },
  budget: { message: t("The budget is used up."), next: t("Rondo asks how far it may go on.") },
};

/** Returns why the last turn ended early; undefined if it did not, or if the user has ended it. */
export function earlyEnd({ status, messages, ended, session }: Chat): EarlyEnd | undefined {
  if (status.type !== "idle") return undefined;
  const last = lastShown(messages)?.info;
  const reply = last?.role === "assistant" ? last : undefined;
  const error = reply?.error ?? ended?.error;
  if (error?.code === "aborted") return undefined;
  if (error) return { cause: error.code, message: error.message, next: error.next, model: reply?.model };
  return session.terminated && fromMark(session.terminated);
}

function fromMark({ by, reason }: NonNullable<SessionInfo["terminated"]>): EarlyEnd | undefined {
  switch (by) {
    case "turn-limit":
    case "budget":
      return { cause: by, ...limitEnds[by], model: undefined };
    case "time-limit":
      return { cause: "execution-timeout", message: reason, next: "", model: undefined };
    case "error":
      return { cause: "other", message: reason, next: t("Your message is kept."), model: undefined };
    case "memory":
    case "stop":
    case "process":
      return undefined;
  }
}

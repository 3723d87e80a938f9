/** Messages between the panel and the host. `ToHost` is parsed by zod where it arrives; `ToPanel` is ours. */
import * as z from "zod/mini";
import type { Chat, Entry } from "./apply.ts";
import { attachRequests, type RefusedFile } from "./attach.ts";
import { type ArgumentValues, commandRequests } from "./command-requests.ts";
import { type ConnectView, connectRequests } from "./connect.ts";
import { PieceChange, PiecesChange } from "./context-views.ts";
import { type EditorContext, editorContextKinds } from "./editor-views.ts";
import type { ChatEvent } from "./events.ts";
import { type HostNotice, NoticeFix } from "./host-notice.ts";
import { type FoundMentions, type MentionKindNotes, mentionRequests, type VariableValues } from "./mention-search.ts";
import { modelListRequests, type PickerList } from "./model-list.ts";
import { type PageMessage, pageRequests } from "./pages.ts";
import type { PanelState } from "./panel-state.ts";
import { PermissionMode } from "./permission-mode.ts";
import { Attachment, SendTime } from "./prompt-input.ts";
import { Answer, Rule, type RuleTrial } from "./requests.ts";
import type { RestoreFile } from "./review-views.ts";
import type { CommandJudgement } from "./rule-views.ts";
import type { MergeView, SessionSummary } from "./session-views.ts";
import { type FoundSymbols, symbolRequests } from "./symbol-names.ts";

/** While a turn runs, `now` interrupts it. */
const PromptTime = z.enum([...SendTime.options, "now"]);
export type PromptTime = z.infer<typeof PromptTime>;

/** Names of the agents that the text mentions with "@". */
const MentionedAgents = z._default(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(20)), []);

export const ToHost = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({
    type: z.literal("prompt"),
    text: z.string().check(z.maxLength(1 << 20)),
    attachments: z.array(Attachment).check(z.maxLength(100)),
    agents: MentionedAgents,
    when: PromptTime,
  }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("new-session") }),
  z.object({ type: z.literal("open-session"), id: z.string() }),
  /** Removes the tab of a session that does not run. */
  z.object({ type: z.literal("close-tab"), id: z.string() }),
  z.object({ type: z.literal("delete-session"), id: z.string() }),
  /** Whether the next message begins a session in a worktree of its own. */
  z.object({ type: z.literal("set-place"), worktree: z.boolean() }),
  /** Chooses a second model for the next message, which begins two sessions in worktrees of their own. */
  z.object({ type: z.literal("choose-second-model") }),
  /** `merge` is answered with `merge-preview`. */
  z.object({
    type: z.literal("worktree"),
    id: z.string(),
    action: z.enum(["merge", "compare", "throw-away", "keep-branch"]),
  }),
  /** Shows in which files the two differ. */
  z.object({ type: z.literal("compare-rivals") }),
  /** `solve`: the session solves conflicts, in its worktree. `remove`: the worktree, and that of the rival. */
  z.object({ type: z.literal("merge"), id: z.string(), solve: z.boolean(), remove: z.boolean() }),
  z.object({ type: z.literal("rename-session"), id: z.string(), title: z.string().check(z.maxLength(200)) }),
  /** `query`: words that the title or messages must contain; empty: all sessions. */
  z.object({ type: z.literal("list-sessions"), query: z.string().check(z.maxLength(1000)) }),
  z.object({ type: z.literal("export-session"), id: z.string(), format: z.enum(["jsonl", "markdown"]) }),
  z.object({ type: z.literal("import-session") }),
  /** Opens a new session that ends before this user message, whose text goes into the composer. */
  z.object({ type: z.literal("fork"), messageID: z.string() }),
  /** Opens a new session that ends with this message, the last one of an answer. */
  z.object({ type: z.literal("fork-after"), messageID: z.string() }),
  /** `goOn`: the turn that had no room goes on afterwards. */
  z.object({
    type: z.literal("compact"),
    goOn: z.boolean(),
    /** What the summary is to keep, in the user's words. */
    keep: z.optional(z.string().check(z.maxLength(10_000))),
  }),
  /** Answered with `earlier`: some messages that end before this one. */
  z.object({ type: z.literal("earlier"), before: z.string() }),
  z.object({ type: z.literal("open-child"), sessionID: z.string() }),
  z.object({ type: z.literal("answer"), requestID: z.string(), answer: Answer }),
  /** Asks how the edited command of an open request would be judged. Answered with `judged`. */
  z.object({ type: z.literal("judge"), requestID: z.string(), command: z.string().check(z.maxLength(100_000)) }),
  /** Asks what the edited rules of "Always allow" would match. Answered with `tried`. */
  z.object({ type: z.literal("try-rules"), requestID: z.string(), rules: z.array(Rule).check(z.maxLength(50)) }),
  z.object({ type: z.literal("export-trace") }),
  z.object({ type: z.literal("remove-rule"), rule: Rule, source: z.enum(["settings", "workspace", "session"]) }),
  /** Answered with `explained`. */
  z.object({ type: z.literal("explain"), command: z.string().check(z.maxLength(100_000)) }),
  z.object({ type: z.literal("end-command"), id: z.string() }),
  z.object({ type: z.literal("to-background"), callID: z.string() }),
  z.object({ type: z.literal("end-call"), callID: z.string() }),
  z.object({ type: z.literal("show-terminal") }),
  z.object({
    type: z.literal("server"),
    name: z.string(),
    action: z.enum(["start", "stop", "allow", "sign-in", "show-log"]),
  }),
  /** Answered with `restore-preview`. */
  z.object({ type: z.literal("preview-restore"), messageID: z.string() }),
  /** `paths`: relative, from the preview. `chat`: the conversation goes back, too. */
  z.object({
    type: z.literal("restore"),
    messageID: z.string(),
    paths: z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(100_000)),
    chat: z.boolean(),
  }),
  /** Restores the chosen files to before a user message, and answers it again. `paths`: as in `restore`. */
  z.object({
    type: z.literal("answer-again"),
    messageID: z.string(),
    paths: z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(100_000)),
  }),
  z.object({ type: z.literal("undo-restore") }),
  /** Does the rest of a restore that was cut off. */
  z.object({ type: z.literal("finish-restore") }),
  z.object({ type: z.literal("compare"), messageID: z.string() }),
  z.object({ type: z.literal("set-mode"), mode: PermissionMode }),
  z.object({ type: z.literal("set-model"), providerID: z.string(), modelID: z.string() }),
  z.object({ type: z.literal("withdraw"), queuedID: z.string() }),
  /** Interrupts the turn and answers the queued prompts in a new one. */
  z.object({ type: z.literal("send-queued-now") }),
  /** The same, with this prompt as the first. */
  z.object({ type: z.literal("send-one-now"), queuedID: z.string() }),
  z.object({ type: z.literal("set-queued-time"), queuedID: z.string(), when: SendTime }),
  z.object({
    type: z.literal("edit-queued"),
    queuedID: z.string(),
    text: z.string().check(z.maxLength(1 << 20)),
    agents: MentionedAgents,
  }),
  z.object({ type: z.literal("move-queued"), queuedID: z.string(), to: z.int().check(z.gte(0)) }),
  z.object({ type: z.literal("set-agent"), name: z.string() }),
  z.object({ type: z.literal("attach") }),
  z.object({ type: z.literal("detach"), index: z.int().check(z.gte(0)) }),
  /** Reads the command files again; the answer is in the state. */
  z.object({ type: z.literal("list-commands") }),
  /** Answered with `editor-context`, once for each kind, as soon as it is known. */
  z.object({ type: z.literal("list-editor-contexts") }),
  z.object({ type: z.literal("attach-editor-context"), kind: z.enum(editorContextKinds) }),
  z.object({
    type: z.literal("open-file"),
    path: z.string().check(z.maxLength(4096)),
    line: z.optional(z.int().check(z.gte(1))),
    /** The last one of a range, which is selected. */
    lastLine: z.optional(z.int().check(z.gte(1))),
  }),
  /** Asks which of these files, relative to the session's folder, do not exist. Answered with `checked-files`. */
  z.object({
    type: z.literal("check-files"),
    paths: z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(200)),
  }),
  /** Asks for an image that an answer shows, relative to the session's folder. Answered with `answer-image`. */
  z.object({ type: z.literal("load-image"), path: z.string().check(z.maxLength(4096)) }),
  z.object({ type: z.literal("open-diff"), requestID: z.string() }),
  z.object({ type: z.literal("open-link"), url: z.string().check(z.maxLength(8192)) }),
  z.object({ type: z.literal("copy"), text: z.string() }),
  z.object({
    type: z.literal("review"),
    /**
     * `open` shows the first change, `compare` Rondo's lines beside those that the user has made of them.
     * `take-agent-lines` puts these back, and accepts the file.
     */
    action: z.enum(["accept", "reject", "undo", "open", "compare", "take-agent-lines"]),
    /** Without it: all files; for `undo`, the last decision. */
    path: z.optional(z.string()),
  }),
  z.object({ type: z.literal("follow"), on: z.boolean() }),
  /** Whether the focus is in the panel. */
  z.object({ type: z.literal("panel-focus"), on: z.boolean() }),
  /** Shows the lines of a comment that waits. */
  z.object({ type: z.literal("show-comment"), id: z.string() }),
  z.object({ type: z.literal("remove-comment"), id: z.string() }),
  z.object({ type: z.literal("send-comments") }),
  /** Opens the reply that is a plan as a document, on whose lines the user can comment. */
  z.object({ type: z.literal("open-plan"), messageID: z.string() }),
  z.object({ type: z.literal("retry-now") }),
  z.object({ type: z.literal("try-again") }),
  /** Goes on with a turn that was broken off. */
  z.object({ type: z.literal("continue-turn") }),
  ...pageRequests,
  ...commandRequests,
  ...connectRequests,
  ...modelListRequests,
  ...mentionRequests,
  ...attachRequests,
  ...symbolRequests,
  z.object({ type: z.literal("set-key") }),
  z.object({ type: z.literal("manage-trust") }),
  /** Sets how long a turn may work, in the user's settings, and tries again. */
  z.object({ type: z.literal("set-time-limit"), seconds: z.int().check(z.gte(1), z.lte(86_400)) }),
  /** Sets how many replies a message may have, where the setting stands, and tries again. 0: no limit. */
  z.object({ type: z.literal("set-reply-limit"), replies: z.int().check(z.gte(0), z.lte(100_000)) }),
  z.object({ type: z.literal("open-settings"), query: z.string().check(z.maxLength(200)) }),
  z.object({ type: z.literal("show-log") }),
  /** Pins or drops a part of the conversation, or takes that back. */
  z.object({ type: z.literal("change-piece"), partID: z.string(), change: PieceChange }),
  z.object({ type: z.literal("change-pieces"), change: PiecesChange }),
  /** Does what helps after something could not be done. */
  z.object({ type: z.literal("run-fix"), fix: NoticeFix }),
  /** The host also keeps the draft, so that it survives a reload of the window. */
  z.object({ type: z.literal("draft"), sessionID: z.string(), text: z.string().check(z.maxLength(1 << 20)) }),
]);
export type ToHost = z.infer<typeof ToHost>;

/** `url`: a data address. `why`: a sentence. */
export type AnswerImage = { type: "shown"; url: string } | { type: "failed"; why: string };

/**
 * `seq` grows by one per message; after a gap the panel requests a snapshot with `ready`. A snapshot has the newest
 * messages only; `missing` is the number of those before them.
 */
export type ToPanel = { seq: number } & (
  | { type: "snapshot"; chat: Chat; missing: number; state: PanelState; draft: string }
  /** Messages that end before the message `before`; `missing` is the number of those before them. */
  | { type: "earlier"; before: string; messages: Entry[]; missing: number }
  | { type: "events"; events: ChatEvent[] }
  | { type: "state"; state: PanelState }
  | { type: "sessions"; query: string; sessions: SessionSummary[] }
  | { type: "child"; chat: Chat }
  /** `missing`: those of the files that do not exist. */
  | { type: "checked-files"; paths: string[]; missing: string[] }
  | ({ type: "found-symbols" } & FoundSymbols)
  | { type: "answer-image"; path: string; image: AnswerImage }
  | { type: "judged"; requestID: string; judgement: CommandJudgement }
  /** One trial for each rule, in their order. */
  | { type: "tried"; requestID: string; rules: Rule[]; trials: RuleTrial[] }
  | PageMessage
  | { type: "explained"; judgement: CommandJudgement }
  /** `at`: when the state was taken, in ms since 1970. */
  | { type: "restore-preview"; messageID: string; at: number; files: RestoreFile[] }
  | { type: "merge-preview"; merge: MergeView }
  | { type: "editor-context"; context: EditorContext }
  | { type: "mention-kinds"; notes: MentionKindNotes }
  | { type: "mentions"; found: FoundMentions }
  | ({ type: "variable-values" } & VariableValues)
  /** An image to be scaled, and sent back with `attach-data`. `data`: base64. */
  | { type: "scale-image"; name: string; mime: string; data: string }
  | { type: "models"; list: PickerList }
  | ({ type: "argument-values" } & ArgumentValues)
  | ({ type: "notice" } & HostNotice)
  | ({ type: "refused-file" } & RefusedFile)
  | { type: "connect"; view: ConnectView }
  /** What the user has chosen to start with is connected. */
  | { type: "connected"; label: string }
  /** Puts text into the composer at the cursor; `send` sends it at once. */
  | { type: "compose"; text: string; send: boolean }
  /** Presses the key of the open question that confirms (Ctrl+Enter), or the one that dismisses it (Escape). */
  | { type: "answer-key"; key: "confirm" | "dismiss" }
  | { type: "focus" }
  /** Opens the field that searches the conversation. */
  | { type: "find" }
  | { type: "show-sessions" }
  | { type: "show-restore"; messageID: string }
);

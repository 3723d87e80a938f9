/** Commands of comments: the buttons of threads, and the ways to begin one. */
import type * as vscode from "vscode";
import type { Composer } from "../composer/composer.ts";
import type { Command } from "../feature.ts";
import type { Comments } from "./comments.ts";
import { ShownComment } from "./shown-thread.ts";

export function commentCommands(
  comments: Pick<Comments, "threads" | "showSession" | "openPlan">,
  composer: Pick<Composer, "sendComments">,
): Record<string, Command> {
  const { threads } = comments;
  const add = async (reply: unknown) => (isReply(reply) ? await threads.add(reply) : undefined);
  const onThread = (act: (thread: vscode.CommentThread) => unknown): Command => {
    return (thread) => (isThread(thread) ? act(thread) : undefined);
  };
  const onComment = (act: (comment: ShownComment) => unknown): Command => {
    return (comment) => (comment instanceof ShownComment ? act(comment) : undefined);
  };
  return {
    "rondo.sendComment": async (reply) => {
      const id = await add(reply);
      if (id === undefined) return;
      comments.showSession(id);
      await composer.sendComments([id]);
    },
    "rondo.addComment": add,
    "rondo.sendComments": () => composer.sendComments(threads.pending.map(({ id }) => id)),
    "rondo.resolveThread": onThread((thread) => threads.resolve(thread, true)),
    "rondo.reopenThread": onThread((thread) => threads.resolve(thread, false)),
    "rondo.deleteThread": onThread((thread) => threads.remove(thread)),
    "rondo.editComment": onComment(({ commentID }) => threads.edit(commentID, true)),
    "rondo.saveComment": onComment(({ commentID, body }) =>
      threads.save(commentID, typeof body === "string" ? body : body.value),
    ),
    "rondo.cancelComment": onComment(({ commentID }) => threads.edit(commentID, false)),
    "rondo.deleteComment": onComment(({ commentID }) => threads.removeComment(commentID)),
    "rondo.openPlan": () => comments.openPlan(),
  };
}

/** VS Code's menus give the thread and the text in its box. */
function isReply(value: unknown): value is vscode.CommentReply {
  return (
    typeof value === "object" &&
    value !== null &&
    "thread" in value &&
    "text" in value &&
    typeof value.text === "string"
  );
}

function isThread(value: unknown): value is vscode.CommentThread {
  return typeof value === "object" && value !== null && "uri" in value && "comments" in value;
}

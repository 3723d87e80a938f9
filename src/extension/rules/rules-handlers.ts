/** The page that lists the rules: shows them until it is closed, removes one, and explains a command. */

import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { judge } from "../questions/question-handlers.ts";
import type { StoredRules } from "./stored-rules.ts";

export function rulesHandlers({ conversations, send }: PanelContext, rules: StoredRules) {
  let isShown = false;
  const show = () => {
    isShown = true;
    send({ type: "rules", rules: rules.rows(conversations.current.agent, conversations.current.chat.session.id) });
  };
  const hide = () => {
    isShown = false;
  };
  rules.onDidChange(() => isShown && show());
  return {
    "show-rules": show,
    "hide-rules": hide,
    "remove-rule": async ({ rule, source }) => {
      await rules.remove(rule, source, conversations.current.chat.session.id);
      conversations.current.requests.reconsider();
    },
    explain: async ({ command }) => send({ type: "explained", judgement: await judge(conversations.current, command) }),
  } satisfies Partial<Handlers>;
}

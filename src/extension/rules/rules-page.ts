/** The page that lists the rules: shows them until it is closed, removes one, and explains a command. */
import type { Feature } from "../feature.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { judge } from "../questions/questions.ts";
import type { WindowServices } from "../services.ts";

export function rulesPage(panel: Panel, { page: { conversations, send }, rules }: WindowServices) {
  let isShown = false;
  const show = () => {
    isShown = true;
    send({ type: "rules", rules: rules.rows(conversations.current.agent, conversations.current.chat.session.id) });
  };
  const hide = () => {
    isShown = false;
  };
  rules.onDidChange(() => isShown && show());
  const handlers = {
    "show-rules": show,
    "hide-rules": hide,
    "remove-rule": async ({ rule, source }) => {
      await rules.remove(rule, source, conversations.current.chat.session.id);
      conversations.current.requests.reconsider();
    },
    explain: async ({ command }) => send({ type: "explained", judgement: await judge(conversations.current, command) }),
  } satisfies Partial<Handlers>;
  return {
    handlers,
    commands: { "rondo.rules": panel.revealed(() => send({ type: "show-rules" })) },
    pageGone: hide,
  } satisfies Feature;
}

import type { PanelContext } from "./handlers.ts";

/** Returns `act`, whose errors are shown in the panel, next to the session. */
export function reportedIn(page: Pick<PanelContext, "send" | "explain">) {
  return <Args extends unknown[]>(act: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      try {
        await act(...args);
      } catch (error) {
        page.send({ type: "notice", ...page.explain(error) });
      }
    };
}

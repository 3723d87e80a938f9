import { RefusedFileError } from "../attachments/attachments.ts";
import type { PanelContext } from "./handlers.ts";

type Page = Pick<PanelContext, "send" | "explain">;

/** Shows in the panel what could not be done: a refused file beside those that are attached, all else as a notice. */
export function tellError(page: Page, error: unknown): void {
  if (error instanceof RefusedFileError) {
    const { file, why, next } = error;
    page.send({ type: "refused-file", name: file, why, next });
  } else page.send({ type: "notice", ...page.explain(error) });
}

/** Returns `act`, whose errors are shown in the panel, next to the session. */
export function reportedIn(page: Page) {
  return <Args extends unknown[]>(act: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      try {
        await act(...args);
      } catch (error) {
        tellError(page, error);
      }
    };
}

/** "Generate Commit Message": its command, and its button in the panel. */
import type { Feature } from "../../feature.ts";
import type { WindowServices } from "../../services.ts";
import type { EditorWindow } from "../../window.ts";
import type { BriefModel } from "../brief-model.ts";
import { CommitMessages } from "./commit-messages.ts";

export function commitFeature({ own }: EditorWindow, { files, page }: WindowServices, model: BriefModel) {
  const messages = own(new CommitMessages({ page, model, files }));
  return {
    handlers: { "write-commit-message": () => messages.generate() },
    commands: {
      "rondo.generateCommitMessage": (sourceControl: unknown) => messages.generate(sourceControl),
      "rondo.cancelCommitMessage": () => messages.cancel(),
    },
  } satisfies Feature;
}

/** Lists VS Code's language models. This needs no consent of the user. */
import * as vscode from "vscode";
import type { ModelRef } from "../../chat/message.ts";
import { isShowable } from "../../providers/shared/answer-fields.ts";
import { vscodeProvider } from "./vscode-model.ts";

export interface OfferedModel extends ModelRef {
  label: string;
  /** Maximum tokens of a request. */
  window: number;
}

export class VSCodeModels implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #found: Promise<readonly OfferedModel[]> | undefined;
  #known: readonly OfferedModel[] = [];
  readonly #listener = vscode.lm.onDidChangeChatModels(() => {
    if (this.#found) void this.#refresh();
  });

  get known(): readonly OfferedModel[] {
    return this.#known;
  }

  /** Asks VS Code at the first call; later changes are events. Never rejects. */
  list(): Promise<readonly OfferedModel[]> {
    return this.#found ?? this.#refresh();
  }

  #refresh(): Promise<readonly OfferedModel[]> {
    const found = offered();
    this.#found = found;
    void found.then((models) => {
      if (this.#found !== found) return;
      const before = JSON.stringify(this.#known);
      this.#known = models;
      if (JSON.stringify(models) !== before) this.#changed.fire();
    });
    return found;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

async function offered(): Promise<OfferedModel[]> {
  try {
    const models = await vscode.lm.selectChatModels();
    return models.map(({ vendor, id, name, maxInputTokens }) => {
      const label = name !== "" && isShowable(name) ? name : id;
      return { providerID: vscodeProvider, modelID: `${vendor}/${id}`, label, window: maxInputTokens };
    });
  } catch {
    // An extension fails to list its models.
    return [];
  }
}

/** Keys: in VS Code's secret storage, else in the environment. They go to the SDK and nowhere else. */
import * as vscode from "vscode";
import { accessFromEnvironment, type ProviderAccess, type ProviderID, providerIDs } from "../../providers/providers.ts";

const secretName = (provider: ProviderID) => `rondo.key.${provider}`;

export class Keys implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #stored = new Map<ProviderID, string | undefined>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #watch: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
    this.#watch = secrets.onDidChange(async () => {
      await this.load();
      this.#changed.fire();
    });
  }

  /** Reads the storage; to be awaited before `access` is asked. A storage that cannot be read counts as empty. */
  async load(): Promise<void> {
    await Promise.all(
      providerIDs.map(async (provider) => {
        const key = await Promise.resolve(this.#secrets.get(secretName(provider))).catch(() => undefined);
        this.#stored.set(provider, key || undefined);
      }),
    );
  }

  /** `baseURL` is the user's setting and wins over the environment's. */
  access(provider: ProviderID, baseURL: string | undefined): ProviderAccess {
    const found = accessFromEnvironment(provider, process.env);
    return { apiKey: this.#stored.get(provider) ?? found.apiKey, baseURL: baseURL ?? found.baseURL };
  }

  /** An empty key takes the stored one away. */
  async set(provider: ProviderID, key: string): Promise<void> {
    if (key === "") await this.#secrets.delete(secretName(provider));
    else await this.#secrets.store(secretName(provider), key);
    await this.load();
    this.#changed.fire();
  }

  dispose(): void {
    this.#watch.dispose();
    this.#changed.dispose();
  }
}

/** API keys from VS Code's secret storage, else from the environment. They are passed to the SDK only. */
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

  /** Reads the storage; must be awaited before `access` is called. An unreadable storage counts as empty. */
  async load(): Promise<void> {
    await Promise.all(
      providerIDs.map(async (provider) => {
        const key = await Promise.resolve(this.#secrets.get(secretName(provider))).catch(() => undefined);
        this.#stored.set(provider, key || undefined);
      }),
    );
  }

  /** `baseURL` is the user's setting, which overrides the environment. */
  access(provider: ProviderID, baseURL: string | undefined): ProviderAccess {
    const found = accessFromEnvironment(provider, process.env);
    return { apiKey: this.#stored.get(provider) ?? found.apiKey, baseURL: baseURL ?? found.baseURL };
  }

  /** Stores a key. An empty one deletes the stored key. */
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

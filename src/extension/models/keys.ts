/** API keys from VS Code's secret storage, else from the environment. They are passed to the SDK only. */
import * as vscode from "vscode";
import { accessFromEnvironment, isProviderID } from "../../providers/providers.ts";

const prefix = "rondo.key.";

export class Keys implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  #stored: ReadonlyMap<string, string> = new Map();
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

  /** Reads the storage; must be awaited before the others are called. An unreadable storage counts as empty. */
  async load(): Promise<void> {
    const empty = () => undefined;
    const names = (await Promise.resolve(this.#secrets.keys()).catch(empty)) ?? [];
    const own = names.filter((name) => name.startsWith(prefix));
    const found = await Promise.all(
      own.map(
        async (name) =>
          [name.slice(prefix.length), await Promise.resolve(this.#secrets.get(name)).catch(empty)] as const,
      ),
    );
    this.#stored = new Map(found.flatMap(([provider, key]) => (key ? [[provider, key] as const] : [])));
  }

  /** Returns the key of a provider, the stored one first, and where it is from. */
  keyOf(provider: string): { key: string; from: "storage" | "environment" } | undefined {
    const stored = this.#stored.get(provider);
    if (stored !== undefined) return { key: stored, from: "storage" };
    const found = isProviderID(provider) ? accessFromEnvironment(provider, process.env).apiKey : undefined;
    return found === undefined ? undefined : { key: found, from: "environment" };
  }

  /**
   * Stores the key that the environment has; it is the one that is used from then on. The variable stays in the process,
   * which other extensions share. @returns false if there is none
   */
  async storeFromEnvironment(provider: string): Promise<boolean> {
    const found = this.keyOf(provider);
    if (found?.from !== "environment") return false;
    await this.set(provider, found.key);
    return true;
  }

  /** Stores a key. An empty one deletes the stored key. */
  async set(provider: string, key: string): Promise<void> {
    if (key === "") await this.#secrets.delete(prefix + provider);
    else await this.#secrets.store(prefix + provider, key);
    await this.load();
    this.#changed.fire();
  }

  dispose(): void {
    this.#watch.dispose();
    this.#changed.dispose();
  }
}

/**
 * Loads bundles with the code that V8 compiled for them in an earlier run. Node's own cache (`module.enableCompileCache`) is
 * made before a module runs, so that it lacks every function that is compiled when it is first called, which is most of them.
 * This one is made when the program has run for a while: https://v8.dev/blog/improved-code-caching
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { attempt } from "../base/attempt.ts";
import { english } from "../l10n/l10n.ts";

interface Loaded {
  exports: unknown;
}

/** Loads the bundles of a folder, which are CommonJS and ASCII. */
export class CompiledBundles {
  readonly #bundles: string;
  readonly #store: string;
  readonly #names: ReadonlySet<string>;
  readonly #loaded = new Map<string, Loaded>();
  readonly #unsaved: { script: vm.Script; source: Buffer; name: string }[] = [];

  /**
   * `bundles`: their folder; `store`: a folder of the user for compiled code; `names`: the bundles that are loaded so.
   * They may not call `import()`, which Node has for such code as an experiment only, with a warning
   * (nodejs.org/api/vm.html, `USE_MAIN_CONTEXT_DEFAULT_LOADER`); Node loads all others.
   */
  constructor(bundles: string, store: string, names: readonly string[]) {
    this.#bundles = bundles;
    this.#store = store;
    this.#names = new Set(names);
  }

  /** Returns what a bundle exports. */
  load(name: string): unknown {
    const known = this.#loaded.get(name);
    if (known) return known.exports;
    const file = path.join(this.#bundles, name);
    const source = readFileSync(file);
    const cachedData = this.#compiled(name, source);
    const wrapped = english(
      `(function (exports, require, module, __filename, __dirname) {${source.toString("latin1")}\n})`,
    );
    const script = new vm.Script(wrapped, {
      filename: file,
      ...(cachedData && { cachedData }),
    });
    // Code of another V8, or of other options of Node, is not used.
    if (!cachedData || script.cachedDataRejected) this.#unsaved.push({ script, source, name });
    const module: Loaded = { exports: {} };
    this.#loaded.set(name, module);
    const others = createRequire(file);
    const require = (wanted: string): unknown =>
      wanted.startsWith("./") && this.#names.has(wanted.slice(2)) ? this.load(wanted.slice(2)) : others(wanted);
    script.runInThisContext()(module.exports, require, module, file, this.#bundles);
    return module.exports;
  }

  /** Keeps for later runs what has been compiled so far, unless an earlier run did. */
  save(): void {
    for (const { script, source, name } of this.#unsaved.splice(0)) {
      const data = script.createCachedData();
      const temporary = `${this.#fileOf(name)}.${randomUUID()}`;
      try {
        mkdirSync(this.#store, { recursive: true, mode: 0o700 });
        writeFileSync(temporary, Buffer.concat([checksum(source, data), data]), { mode: 0o600 });
        renameSync(temporary, this.#fileOf(name));
      } catch {
        // The next start is slower.
        attempt(() => rmSync(temporary, { force: true }), undefined);
      }
    }
  }

  /** One file for each version of Node, which updates of Rondo replace. */
  #fileOf(name: string): string {
    return path.join(this.#store, `${name}-${process.version}-${process.arch}`);
  }

  /** V8 itself takes any code that was made for a source of the same length. */
  #compiled(name: string, source: Buffer): Buffer | undefined {
    const kept = attempt(() => readFileSync(this.#fileOf(name)), Buffer.alloc(0));
    const data = kept.subarray(checksumBytes);
    return checksum(source, data).equals(kept.subarray(0, checksumBytes)) ? data : undefined;
  }
}

const checksumBytes = 32;

function checksum(source: Buffer, data: Buffer): Buffer {
  return createHash("sha256").update(source).update(data).digest();
}

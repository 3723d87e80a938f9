/**
 * Lets the mutation runner, which changes code of its own thread only, reach what runs elsewhere: workers run in the
 * thread that starts them, with messages that are still cloned and arrive later, and child processes are told which
 * change is active.
 */
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";
import workerThreads, { MessageChannel } from "node:worker_threads";

/** Workers start one after another, because each reads `parentPort` and `workerData` while its module is evaluated. */
let lastStart = Promise.resolve();
let count = 0;

class SameThreadWorker extends EventEmitter {
  #own;
  #theirs;

  constructor(/** @type {string} */ file, /** @type {{workerData: unknown}} */ { workerData }) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#own = port1;
    this.#theirs = port2;
    port1.on("message", (message) => this.emit("message", message));
    const data = structuredClone(workerData);
    lastStart = lastStart
      .then(async () => {
        Object.assign(workerThreads, { parentPort: port2, workerData: data });
        syncBuiltinESMExports();
        await import(`${pathToFileURL(file)}?worker=${++count}`);
      })
      .catch((error) => void this.emit("error", error));
  }

  postMessage(/** @type {unknown} */ message) {
    this.#own.postMessage(message);
  }

  ref() {
    this.#own.ref();
  }

  unref() {
    this.#own.unref();
  }

  async terminate() {
    this.#own.close();
    this.#theirs.close();
    this.emit("exit", 1);
    return 1;
  }
}

Object.assign(workerThreads, { Worker: SameThreadWorker });
syncBuiltinESMExports();

const variable = "__STRYKER_ACTIVE_MUTANT__";
/** @type {string | undefined} */
let active;
// Changed code reads the id from this object, or at first from the variable.
Object.assign(globalThis, {
  __stryker__: {
    get activeMutant() {
      return active;
    },
    set activeMutant(id) {
      active = id;
      if (id === undefined) delete process.env[variable];
      else process.env[variable] = id;
    },
  },
});

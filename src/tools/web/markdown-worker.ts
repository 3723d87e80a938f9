/** Runs in its own thread, because a malicious page can take minutes to convert. */
import { parentPort, workerData } from "node:worker_threads";
import { toMarkdown } from "./markdown.ts";

// `pageText` sets the data.
const { html, base } = workerData as { html: string; base: string };
parentPort?.postMessage(toMarkdown(html, base));

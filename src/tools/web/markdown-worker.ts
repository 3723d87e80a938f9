/** Runs in a thread of its own: a page can be made so that it takes minutes to read. */
import { parentPort, workerData } from "node:worker_threads";
import { toMarkdown } from "./markdown.ts";

// What `pageText` puts in.
const { html, base } = workerData as { html: string; base: string };
parentPort?.postMessage(toMarkdown(html, base));

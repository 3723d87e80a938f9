/** Draws the formulas of an answer in the elements that show their source. */
import { t } from "../../src/l10n/l10n.ts";
import type { MathsInput } from "../workers/maths.ts";
import { type JobResult, LateWorker } from "./late-worker.ts";
import { mathElement } from "./mathml.ts";
import { texOf } from "./maths-rules.ts";

/** A longer source is no formula that somebody can read. */
const maxCharacters = 5000;
/** A formula of this length takes some milliseconds. */
const limitMs = 2000;
/** Further formulas of one answer stay as they are written. */
const maxFormulas = 500;
/** Formulas that are kept, so that an answer that grows shows them at once. */
const maxKept = 1000;

let worker: LateWorker<MathsInput, string> | undefined;
const results = new Map<string, JobResult<string> | Promise<JobResult<string>>>();

/** Draws those that are new. `changed` is called after each time that elements have changed later. */
export function drawMaths(root: HTMLElement, changed: () => void): void {
  let waits = false;
  for (const element of [...root.querySelectorAll<HTMLElement>(".Maths")].slice(0, maxFormulas)) {
    if (element.classList.contains("drawn")) continue;
    const source = element.textContent ?? "";
    const result = resultOf(source);
    if (!(result instanceof Promise)) {
      show(element, source, result);
      continue;
    }
    void result.then((done) => {
      if (!element.isConnected || element.classList.contains("drawn")) return;
      show(element, source, done);
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        changed();
      });
    });
  }
}

function resultOf(source: string): JobResult<string> | Promise<JobResult<string>> {
  const kept = results.get(source);
  if (kept) return kept;
  const input = texOf(source);
  if (input.tex.length > maxCharacters) return { ok: false, message: t("It is too long.") };
  worker ??= new LateWorker({ load: () => import("rondo:maths"), limitMs });
  const promise = worker.run(input).then((result) => {
    results.set(source, result);
    return result;
  });
  results.set(source, promise);
  const [oldest] = results.keys();
  if (results.size > maxKept && oldest !== undefined) results.delete(oldest);
  return promise;
}

function show(element: HTMLElement, source: string, result: JobResult<string>): void {
  element.classList.add("drawn");
  // It is found by its source: read-text.ts.
  element.dataset["source"] = source;
  const math = result.ok ? mathElement(result.output) : undefined;
  if (math) {
    showSource(element, source);
    element.replaceChildren(math);
    return;
  }
  const code = Object.assign(document.createElement("code"), { textContent: source, dir: "ltr" });
  const why = Object.assign(document.createElement("span"), { className: "why" });
  const reason = result.ok ? t("There is nothing in it.") : result.message;
  why.textContent = ` ${t("This formula cannot be drawn. {0}", reason)}`;
  element.classList.add("failed");
  element.replaceChildren(code, why);
}

/** Shows the source under the pointer only: a title that stays is what a screen reader says in place of the formula. */
function showSource(element: HTMLElement, source: string): void {
  element.addEventListener("pointerenter", () => {
    element.title = source;
  });
  element.addEventListener("pointerleave", () => element.removeAttribute("title"));
}

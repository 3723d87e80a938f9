/** Has diagrams drawn by their worker, and keeps them. */
import type { DiagramInput, DrawnDiagram } from "../workers/diagrams.ts";
import type { DiagramLook } from "./diagram-colours.svelte.ts";
import { type JobResult, LateWorker } from "./late-worker.ts";

/** The layout of a large diagram takes seconds; nobody waits longer. */
const limitMs = 5000;
const maxKept = 100;

const worker = new LateWorker<DiagramInput, DrawnDiagram>({ load: () => import("rondo:diagrams"), limitMs });
const results = new Map<string, Promise<JobResult<DrawnDiagram>>>();

/** Never rejects. */
export function drawDiagram(source: string, { colours, font }: DiagramLook): Promise<JobResult<DrawnDiagram>> {
  const key = JSON.stringify([source, colours, font]);
  const kept = results.get(key);
  if (kept) return kept;
  const drawn = worker.run({ source, colours, font });
  results.set(key, drawn);
  const [oldest] = results.keys();
  if (results.size > maxKept && oldest !== undefined) results.delete(oldest);
  return drawn;
}

/** An image runs no scripts and loads nothing: https://www.w3.org/TR/SVG2/conform.html#secure-static-mode */
export function imageUrl({ svg }: DrawnDiagram): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

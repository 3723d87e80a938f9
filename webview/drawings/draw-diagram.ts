/** Has diagrams drawn by their worker, and keeps them. */
import type { DiagramColours, DiagramInput, DrawnDiagram } from "../workers/diagrams.ts";
import type { DiagramLook } from "./diagram-colours.svelte.ts";
import { type JobResult, LateWorker } from "./late-worker.ts";

/** The layout of a large diagram takes seconds; nobody waits longer. */
const limitMs = 5000;
const maxKept = 100;

const worker = new LateWorker<DiagramInput, DrawnDiagram>({ load: () => import("rondo:diagrams"), limitMs });
const results = new Map<string, Promise<JobResult<DrawnDiagram>>>();

/** Never rejects. */
export function drawDiagram(source: string, { colours, font }: DiagramLook): Promise<JobResult<DrawnDiagram>> {
  // The bars of a chart have shades of their own. Everything else takes its colours from the first element.
  const key = JSON.stringify([source, font, /\bxychart/.test(source) && colours]);
  const kept = results.get(key);
  if (kept) return kept;
  const drawn = worker.run({ source, colours, font });
  results.set(key, drawn);
  const [oldest] = results.keys();
  if (results.size > maxKept && oldest !== undefined) results.delete(oldest);
  return drawn;
}

/**
 * Returns the image in the present colours, at once when the theme has changed. An image runs no scripts and loads
 * nothing: https://www.w3.org/TR/SVG2/conform.html#secure-static-mode
 */
export function imageUrl({ svg }: DrawnDiagram, colours: DiagramColours): string {
  const { ground, ink, line, accent, quiet, box, border } = colours;
  const names = { bg: ground, fg: ink, line, accent, muted: quiet, surface: box, border };
  const style = Object.entries(names).map(([name, colour]) => `--${name}:${colour}`);
  const coloured = svg.replace(/ style="[^"]*"/, () => ` style="${style.join(";")}"`);
  return `data:image/svg+xml,${encodeURIComponent(coloured)}`;
}

/** States of the panel with formulas, diagrams, pictures, task lists and wide tables in an answer. */
import type { Page } from "playwright-core";
import * as f from "./fixtures.ts";

const answer = (text: string) =>
  f.snapshot(f.chat("Compound interest", [f.you("Explain it."), f.rondo([f.said(text)])]));

/** A formula of each kind, and prices that are none. */
const maths = String.raw`With the rate $r$ and $n$ periods, an amount $a_0$ grows to $a_n = a_0(1 + r)^n$. $5 and $6 are prices.

$$
a_n = \sum_{k=0}^{n} \binom{n}{k} a_0 r^k, \qquad
f(x) = \begin{cases} \sqrt{x} & x \ge 0 \\ 0 & \text{otherwise} \end{cases}
$$

For \(x \in \mathbb{R}\) and the matrix \[ \mathbf{A} = \begin{pmatrix} 1 & 0 \\ 0 & -1 \end{pmatrix} \] see **rule $x^*$**.

$\frac{1}{0$ is broken: $\foo{x}$`;

export const flowchart = `\`\`\`mermaid
flowchart TD
  A[Message arrives] --> B{Is a turn running?}
  B -->|yes| C[Queue it]
  B -->|no| D[Start a turn]
  C --> D
  D --> E((Done))
  style A fill:#ff0000
\`\`\``;

const sequence = `\`\`\`mermaid
sequenceDiagram
  participant P as Panel
  participant H as Host
  P->>H: prompt
  H-->>P: events
  Note over P,H: once a frame
\`\`\``;

const failing = `\`\`\`mermaid
gantt
  title A plan
  section One
  First :a1, 2026-01-01, 30d
\`\`\``;

/** Waits until nothing is left to be drawn. */
async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelectorAll(".Maths:not(.drawn)").length + document.querySelectorAll(".Diagram.waits").length === 0,
  );
  await page.evaluate(async () => {
    await Promise.all([...document.querySelectorAll("img")].map((image) => image.decode()));
  });
}

export const tasks = `The steps:

- [x] Read the tests
- [x] Round **once**, at the end
- [ ] Run \`npm test\`
  - [ ] with Node 22
  - [x] with Node 24
- A plain item

1. [ ] Numbered`;

const cell = "a rather long cell that does not wrap";
export const wideTable = `| Name | ${Array.from({ length: 8 }, (_, at) => `Column_${at}`).join(" | ")} |
|---|${"---|".repeat(8)}
| \`total()\` | ${"unbreakable_words_here | ".repeat(8)}
| ${cell} | ${"1 | ".repeat(8)}

| A | B |
|---|---|
| narrow | table |

\`\`\`ts
export const line = "${"a long line of code ".repeat(8)}";
\`\`\`

- In a list:
  \`\`\`
  ${"code in a list ".repeat(10)}
  \`\`\``;

/** Draws a striped PNG. Runs in the page. */
export function stripes(width: number, height: number): string {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  for (let x = 0; x < width; x += 40) {
    context.fillStyle = x % 80 === 0 ? "#3b82f6" : "#f59e0b";
    context.fillRect(x, 0, 40, height);
  }
  return canvas.toDataURL("image/png");
}

export const images = `The chart is in the workspace:

![Sales by month](docs/sales.png)

![The key](.env.png) and ![Remote chart](https://images.example.com/chart.png?id=1)`;

/** Answers what the panel asks for, as the host does. */
async function answerImages(page: Page): Promise<void> {
  await page.waitForFunction(() => window.sent.filter(({ type }) => type === "load-image").length === 2);
  const url = await page.evaluate(`(${stripes})(640, 120)`);
  const why = "It is not read unasked: it may hold secrets.";
  await page.evaluate(
    async (answers) => {
      for (const [at, answer] of answers.entries())
        window.postMessage({ type: "answer-image", seq: 2 + at, ...answer }, "*");
      await new Promise((done) => setTimeout(done));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    },
    [
      { path: "docs/sales.png", image: { type: "shown", url } },
      { path: ".env.png", image: { type: "failed", why } },
    ],
  );
  await page.waitForFunction(() => document.querySelectorAll(".Picture:not(.shown)").length === 0);
  await drawn(page);
}

export const contentStates = {
  images: { messages: [answer(images)], act: answerImages },
  maths: { messages: [answer(maths)], act: drawn },
  diagram: { messages: [answer(`A message goes this way:\n\n${flowchart}`)], act: drawn },
  diagrams: { messages: [answer(`${sequence}\n\nAnd the plan:\n\n${failing}`)], act: drawn },
  "diagram-source": {
    messages: [answer(flowchart)],
    act: async (page: Page) => {
      await drawn(page);
      await page.getByRole("button", { name: "Show its source" }).click();
      await page.getByRole("button", { name: "Show the diagram" }).waitFor();
      // A tooltip would come at its own time.
      await page.mouse.move(0, 0);
    },
  },
  tasks: { messages: [answer(tasks)] },
  "wide-table": { messages: [answer(wideTable)] },
};

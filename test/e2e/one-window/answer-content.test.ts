/** A formula, a diagram and an image of the workspace in an answer, drawn in the real VS Code under its policy. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { PNG } from "pngjs";
import { said, say, status } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

const answer = String.raw`The sum is $\frac{a}{b}$:

$$
\sum_{k=1}^{n} k^2
$$

${"```"}mermaid
flowchart LR
  Ask --> Answer
${"```"}

![The chart](pictures/chart.png)

![The key](pictures/.env.png)

![Outside](../outside.png)

![Remote](https://images.invalid/remote.png)

- [x] drawn`;

describe("content of answers", () => {
  let window: Window;
  let panel: Frame;
  before(async () => {
    window = await sharedWindow();
    panel = await window.panel();
    const picture = new PNG({ width: 60, height: 20 });
    picture.data.fill(200);
    const folder = path.join(window.folder, "pictures");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "chart.png"), PNG.sync.write(picture));
    await writeFile(path.join(folder, ".env.png"), PNG.sync.write(picture));
  });
  after(async () => {
    await rm(path.join(window.folder, "pictures"), { recursive: true, force: true });
  });

  const sizeOf = (image: Locator) =>
    image.evaluate(async (one: HTMLImageElement) => {
      await one.decode();
      return [one.naturalWidth, one.naturalHeight];
    });

  it("a formula, a diagram and an image of the workspace are drawn; nothing else is read or loaded", async () => {
    const loads: string[] = [];
    panel.page().on("request", (request) => /images\.invalid/.test(request.url()) && loads.push(request.url()));
    window.plays([{ text: answer }]);
    await say(panel, "Draw it.");
    await said(panel, "drawn");
    await status(panel, /Done/);

    const formula = panel.locator("math").nth(1);
    await formula.waitFor();
    const box = await formula.boundingBox();
    assert.ok(box && box.height > 20, "the sum is not drawn");
    assert.equal(await panel.locator("math").first().locator("mfrac").count(), 1);

    const diagram = panel.getByRole("img", { name: "Flowchart: Ask, Answer" });
    await diagram.waitFor();
    const [width = 0, height = 0] = await sizeOf(diagram);
    assert.ok(width > 100 && height > 20, `the diagram is ${width} by ${height}`);

    const image = panel.getByRole("img", { name: "The chart" });
    await image.waitFor();
    assert.deepEqual(await sizeOf(image), [60, 20]);
    await said(panel, "This image cannot be shown. It is not read unasked: it may hold secrets.");
    await said(panel, "This image cannot be shown. It is outside of the workspace.");
    await panel.getByRole("link", { name: "Remote (image on images.invalid)" }).waitFor();
    assert.deepEqual(loads, []);
    assert.deepEqual(window.errors, []);
  });
});

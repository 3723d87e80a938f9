/** The selection that goes with messages, pictures and other files. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { bmp, png } from "../../panel/image-files.ts";
import { enter, message, said } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("attaching", () => {
  let window: Window;
  let panel: Frame;
  beforeEach(async () => {
    window = await sharedWindow();
    panel = await window.newSession();
  });
  afterEach(async () => {
    await window.command("View: Close All Editors");
  });
  after(async () => {
    await rm(path.join(window.folder, "pictures"), { recursive: true, force: true });
  });

  const shown = (name: string | RegExp) => panel.getByRole("button", { name, exact: true });

  async function put(file: string, content: string | Buffer): Promise<void> {
    const place = path.join(window.folder, "pictures", file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, content);
  }

  /** Sends a message and returns what the model was sent. */
  async function sent(): Promise<string> {
    window.plays([{ text: "It is seen." }]);
    await message(panel).fill("Look.");
    await enter(panel);
    await said(panel, "It is seen.");
    return window.requests.at(-1)?.raw ?? "";
  }

  /** Selects the first lines of a file in the editor. */
  async function select(file: string, lines: number): Promise<void> {
    await window.open(file);
    await window.page.keyboard.press("Control+Home");
    for (let line = 0; line < lines; line++) await window.page.keyboard.press("Shift+ArrowDown");
  }

  it("V14 the selection follows the editor and is sent as it is then, with unsaved text; the eye leaves it out", async () => {
    await put("poem.txt", "roses\nviolets\nsugar\n");
    await select("pictures/poem.txt", 2);
    await shown("Show the selection poem.txt:1–2").waitFor();
    await window.page.keyboard.press("Control+Home");
    await window.page.keyboard.type("red ");
    await select("pictures/poem.txt", 1);
    await shown("Show the selection poem.txt:1").waitFor();
    assert.match(await sent(), /pictures\/poem\.txt, lines 1–1:[^"]*red roses/);
    await shown("Send the selection").click();
    await panel.locator("button[aria-pressed=false]", { hasText: "" }).first().waitFor();
    panel = await window.newSession();
    assert.doesNotMatch(await sent(), /red roses/);
    await shown("Send the selection").click();
    await panel.getByRole("button", { name: "Send the selection", pressed: true }).waitFor();
    await window.command("File: Revert File");
  });

  it("V14 a whole file goes beside its selected first lines, as it is when the message is sent", async () => {
    await put("whole.txt", "alpha\nbeta\ngamma\n");
    await select("pictures/whole.txt", 1);
    await shown("Show the selection whole.txt:1").waitFor();
    await message(panel).pressSequentially("@pictures/whole");
    await panel.getByRole("option", { name: /whole\.txt/, selected: true }).waitFor();
    await enter(panel);
    await shown("Show pictures/whole.txt").waitFor();
    await put("whole.txt", "alpha\nbeta\nnewer words\n");
    const raw = await sent();
    assert.match(raw, /pictures\/whole\.txt, lines 1–1:/);
    assert.match(raw, /newer words/);
    assert.doesNotMatch(raw, /gamma/);
  });

  it("V14 the selection of a protected file is not sent, and says why", async () => {
    await put(".env", "TOKEN=hush-hush\n");
    await select("pictures/.env", 1);
    await panel.getByText(/^is not sent: /).waitFor({ state: "attached" });
    assert.doesNotMatch(await sent(), /hush-hush/);
  });

  it("V14 pictures of the workspace are scaled, made to a kind that models take, and sent", async () => {
    await put("wide.png", Buffer.from(png("", 6_000, 1_500).data, "base64"));
    await put("photo.bmp", Buffer.from(bmp("", 64, 48).data, "base64"));
    for (const name of ["wide.png", "photo.bmp"]) {
      await message(panel).pressSequentially(`@pictures/${name}`);
      await panel.getByRole("option", { name: new RegExp(name), selected: true }).waitFor();
      await enter(panel);
      await panel.getByRole("button", { name: new RegExp(`^Show pictures/${name}`) }).waitFor();
    }
    const raw = await sent();
    const pictures = [...raw.matchAll(/"media_type":"image\/png","data":"([^"]+)"/g)].map(([, data = ""]) =>
      Buffer.from(data, "base64"),
    );
    // Width and height stand at the same place in each PNG.
    assert.deepEqual(
      pictures.map((bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]),
      [
        [2_000, 500],
        [64, 48],
      ],
    );
  });

  it("V14 a long text that is pasted becomes a chip, which opens in the editor and is sent whole", async () => {
    const text = Array.from({ length: 90 }, (_, at) => `row ${at}`).join("\n");
    await message(panel).evaluate((field, words) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", words);
      field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
    }, text);
    await shown("Show Pasted text, 90 lines").click();
    await window.page.locator(".tab.active", { hasText: "Pasted text" }).waitFor();
    assert.match(await sent(), /row 0\\nrow 1\\n.*row 89/);
  });

  it("V14 a file and a folder that are dropped are attached", async () => {
    await put("drop/one.txt", "dropped words\n");
    const at = (name: string) => `file://${path.join(window.folder, "pictures", name)}`;
    await panel.locator("body").evaluate(
      (body, list) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData("application/vnd.code.uri-list", list);
        body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
      },
      [at("drop/one.txt"), at("drop")].join("\r\n"),
    );
    await shown(/^Show pictures\/drop\/one\.txt/).waitFor();
    await shown("Show pictures/drop/").waitFor();
    const raw = await sent();
    assert.match(raw, /dropped words/);
    assert.match(raw, /pictures\/drop\/ has 1 file/);
  });
});

/** What is pasted and dropped into the message, the chips, and the selection that follows. */
import assert from "node:assert/strict";
import type { SelectionView } from "../../src/chat/attach.ts";
import { button, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { bmp, cut, gif, type ImageFile, noImage, png, svg } from "./image-files.ts";
import type { PanelPage } from "./page.ts";

const opened = (change: Parameters<typeof f.panelState>[0] = {}) =>
  panelWith(f.snapshot(f.chat("T", []), f.panelState(change)));
const state = (panel: PanelPage, change: Parameters<typeof f.panelState>[0]) =>
  panel.post({ type: "state", state: f.panelState(change) });
const notice = (panel: PanelPage, words: string) => panel.page.getByText(words).first().waitFor();

interface Carried {
  files?: ImageFile[];
  texts?: Record<string, string>;
}

/** Pastes into the message, or drops on it, what a program of the desktop would carry. */
async function carry(panel: PanelPage, by: "paste" | "drop", { files = [], texts = {} }: Carried): Promise<void> {
  await message(panel).focus();
  await panel.page.evaluate(
    ([event, all, words]) => {
      const data = new DataTransfer();
      for (const { name, type, data: content } of all) {
        const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
        data.items.add(new File([bytes], name, { type }));
      }
      for (const [type, text] of Object.entries(words)) data.setData(type, text);
      const target = document.querySelector("textarea") ?? document.body;
      const how = { bubbles: true, cancelable: true };
      if (event === "paste") target.dispatchEvent(new ClipboardEvent("paste", { ...how, clipboardData: data }));
      else {
        target.dispatchEvent(new DragEvent("dragenter", { ...how, dataTransfer: data }));
        target.dispatchEvent(new DragEvent("drop", { ...how, dataTransfer: data }));
      }
    },
    [by, files, texts] as const,
  );
}

/** Files are read only when the returned function is called. */
async function heldReading({ page }: PanelPage): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { prototype } = FileReader;
    const read = prototype.readAsDataURL;
    prototype.readAsDataURL = function (file) {
      window.addEventListener("go-on", () => read.call(this, file), { once: true });
    };
  });
  return () => page.evaluate(() => void window.dispatchEvent(new Event("go-on")));
}

/** Returns what the host was sent, once there are as many. */
async function attached(panel: PanelPage, count = 1) {
  await panel.page.waitForFunction((n) => window.sent.filter(({ type }) => type === "attach-data").length >= n, count);
  return await panel.sentOf("attach-data");
}

/** Returns width and height, read by the browser from the bytes. */
const sizeOf = (panel: PanelPage, { mime, data }: { mime: string; data: string }) =>
  panel.page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, `data:${mime};base64,${data}`);

describe("attaching", () => {
  it("V14 files that are pasted with their names beside them are attached; a picture beside other text is not", async () => {
    const panel = await opened();
    const small = png("screen.png", 30, 20);
    await carry(panel, "paste", { files: [small], texts: { "text/plain": "screen.png" } });
    assert.equal((await attached(panel))[0]?.name, "screen.png");
    await carry(panel, "paste", {
      files: [gif, small],
      texts: { "text/plain": `/tmp/${gif.name}\r\n/tmp/screen.png` },
    });
    assert.equal((await attached(panel, 3)).length, 3);
    await carry(panel, "paste", { files: [png("image.png", 30, 20)], texts: { "text/plain": "A table of prices" } });
    await message(panel).press("End");
    assert.equal((await panel.sentOf("attach-data")).length, 3);
  });

  it("V14 the selection has its chip beside a file that is attached as a whole, and none beside the same lines", async () => {
    const selection = { filename: "a.ts", uri: "file:///a.ts", start: 1, end: 2, on: true, why: "" };
    const file = { mime: "text/plain", filename: "a.ts", url: "file:///a.ts" };
    const whole = { ...file, source: { start: 1, end: 9, text: "x", whole: true as const } };
    const panel = await opened({ selection, attachments: [whole] });
    const eye = panel.page.getByRole("button", { name: "Send the selection" });
    assert.equal(await eye.count(), 1);
    await state(panel, { selection, attachments: [{ ...file, source: { start: 1, end: 2, text: "x" } }] });
    assert.equal(await eye.count(), 0);
  });

  for (const by of ["paste", "drop"] as const) {
    it(`V14 by ${by}, an image that models take is attached as it is, byte by byte`, async () => {
      const panel = await opened();
      const small = png("screen.png", 300, 200);
      await carry(panel, by, { files: [small, gif] });
      const [first, second] = await attached(panel, 2);
      assert.deepEqual(first, { type: "attach-data", name: "screen.png", mime: "image/png", data: small.data });
      assert.deepEqual([second?.mime, second?.data], ["image/gif", gif.data]);
    });

    it(`V14 by ${by}, a huge image is scaled to what models take, and keeps its shape`, async () => {
      const panel = await opened();
      await carry(panel, by, { files: [png("wide.png", 9_000, 1_800)] });
      const [image] = await attached(panel);
      assert.deepEqual(image && (await sizeOf(panel, image)), [2_000, 400]);
    });
  }

  it("V14 an image of another kind becomes a PNG", async () => {
    const panel = await opened();
    await carry(panel, "paste", { files: [bmp("photo.bmp", 64, 48)] });
    const [image] = await attached(panel);
    assert.equal(image?.mime, "image/png");
    assert.deepEqual(image && (await sizeOf(panel, image)), [64, 48]);
  });

  it("V14 of an SVG only the picture is attached: nothing in it runs or is loaded", async () => {
    const panel = await opened();
    const requests: string[] = [];
    panel.page.on("request", (request) => void requests.push(request.url()));
    await carry(panel, "drop", { files: [svg] });
    const [image] = await attached(panel);
    assert.equal(image?.mime, "image/png");
    assert.deepEqual(
      requests.filter((url) => !url.startsWith("data:")),
      [],
    );
    assert.equal(await panel.page.evaluate(() => "ran" in window), false);
  });

  it("V14 what is no image or has too many pixels is refused with the reason", async () => {
    const panel = await opened();
    await carry(panel, "paste", { files: [noImage] });
    await notice(panel, "notes.png is not attached: it is not an image that can be read.");
    await carry(panel, "paste", { files: [png("large.png", 12_000, 10_000)] });
    await notice(panel, "large.png is not attached: it has 120 million pixels.");
    await carry(panel, "paste", { files: [png("bomb.png", 30_000, 30_000)] });
    await notice(panel, "bomb.png is not attached");
    await carry(panel, "paste", { files: [noImage, gif] });
    const all = await attached(panel);
    assert.deepEqual(
      all.map(({ name }) => name),
      ["dot.gif"],
    );
  });

  it("V14 an image whose end is missing, which providers refuse, is attached as what the browser draws of it", async () => {
    const panel = await opened();
    const half = cut(png("half.png", 400, 400));
    await carry(panel, "paste", { files: [half] });
    const [image] = await attached(panel);
    assert.notEqual(image?.data, half.data);
    assert.deepEqual(image && (await sizeOf(panel, image)), [400, 400]);
    assert.match(Buffer.from(image?.data ?? "", "base64").toString("latin1"), /IEND/);
  });

  it("V14 an image that the host has read is scaled here", async () => {
    const panel = await opened();
    const { name, type, data } = png("tall.png", 100, 4_000);
    await panel.post({ type: "scale-image", name, mime: type, data });
    const [image] = await attached(panel);
    assert.deepEqual(image && (await sizeOf(panel, image)), [50, 2_000]);
  });

  it("V14 a message that is sent while an image is read waits for it", async () => {
    const panel = await opened();
    await message(panel).fill("Look at this.");
    await carry(panel, "paste", { files: [png("wide.png", 6_000, 6_000)] });
    await message(panel).press("Enter");
    await panel.page.waitForFunction(() => window.sent.some(({ type }) => type === "prompt"));
    const types = (await panel.sent()).map(({ type }) => type);
    assert.ok(types.indexOf("attach-data") >= 0 && types.indexOf("attach-data") < types.indexOf("prompt"));
  });

  it("V14 a message that waits for an image is sent once, however often Enter is pressed", async () => {
    const panel = await opened({ attachments: [pasted] });
    const goOn = await heldReading(panel);
    await message(panel).fill("Look at this.");
    await carry(panel, "paste", { files: [png("dot.png", 10, 10)] });
    for (const key of ["Enter", "Enter", "Alt+Enter"]) await message(panel).press(key);
    await goOn();
    await panel.page.waitForFunction(() => window.sent.some(({ type }) => type === "prompt"));
    assert.deepEqual(
      (await panel.sentOf("prompt")).map(({ text, when }) => [text, when]),
      [["Look at this.", "after-turn"]],
    );
  });

  it("V14 a message that waits for an image is not sent when another session comes on screen, nor is its draft", async () => {
    const panel = await opened();
    const goOn = await heldReading(panel);
    await message(panel).fill("Look at this.");
    await carry(panel, "paste", { files: [png("dot.png", 10, 10)] });
    await message(panel).press("Enter");
    const other = f.chat("Other", [f.you("before")]);
    other.session = { ...other.session, id: "ses_other" };
    await panel.post(f.snapshot(other, f.panelState(), "not written to its end"));
    await goOn();
    const words = "Another session came on screen before it was sent.";
    await panel.page.waitForFunction(
      (text) => window.sent.some(({ type }) => type === "prompt") || document.body.innerText.includes(text),
      words,
    );
    assert.deepEqual(await panel.sentOf("prompt"), []);
    assert.equal(await message(panel).inputValue(), "not written to its end");
    assert.equal((await panel.sentOf("draft")).at(-1)?.text, "Look at this.");
  });

  it("V14 a long text becomes a chip, unless Shift is held; a short one is written", async () => {
    const panel = await opened();
    const long = Array.from({ length: 120 }, (_, at) => `line ${at}`).join("\n");
    await carry(panel, "paste", { texts: { "text/plain": long } });
    assert.deepEqual(await panel.sentOf("attach-text"), [
      { type: "attach-text", name: "Pasted text, 120 lines", text: long },
    ]);
    assert.equal(await message(panel).inputValue(), "");
    await carry(panel, "paste", { texts: { "text/plain": "two words" } });
    await message(panel).press("Shift");
    await carry(panel, "paste", { texts: { "text/plain": long } });
    assert.equal((await panel.sentOf("attach-text")).length, 1);
  });

  it("V14 a text with a picture of itself is pasted as text", async () => {
    const panel = await opened();
    await carry(panel, "paste", { files: [gif], texts: { "text/plain": "from a sheet" } });
    assert.deepEqual(await panel.sentOf("attach-data"), []);
  });

  it("V14 files of the Explorer are attached by their addresses, web addresses are not files", async () => {
    const panel = await opened();
    const uris = ["file:///shop/src/cart.ts", "vscode-vfs://host/a%20b.ts"];
    await carry(panel, "drop", { texts: { "application/vnd.code.uri-list": uris.join("\r\n") } });
    await carry(panel, "drop", { texts: { "text/uri-list": "# a comment\nhttps://example.com/x.png" } });
    assert.deepEqual(await panel.sentOf("attach-uris"), [{ type: "attach-uris", uris }]);
    assert.equal(await message(panel).inputValue(), "https://example.com/x.png");
    const many = Array.from({ length: 150 }, (_, at) => `file:///shop/${at}.ts`);
    await carry(panel, "drop", { texts: { "text/uri-list": many.join("\r\n") } });
    assert.deepEqual(
      (await panel.sentOf("attach-uris")).slice(1).flatMap((one) => one.uris),
      many,
    );
  });

  it("V14 shows where to drop while something is dragged over it, and not for dragged words", async () => {
    const panel = await opened();
    const drag = (kind: "dragenter" | "dragleave", type: string) =>
      panel.page.evaluate(
        ([event, format]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.setData(format, "file:///a");
          document.body.dispatchEvent(new DragEvent(event, { bubbles: true, cancelable: true, dataTransfer }));
        },
        [kind, type] as const,
      );
    const target = panel.page.getByText("Drop to attach");
    await drag("dragenter", "text/plain");
    assert.equal(await target.count(), 0);
    await drag("dragenter", "text/uri-list");
    await target.waitFor();
    await drag("dragleave", "text/uri-list");
    await target.waitFor({ state: "detached" });
  });

  it("V14 a text file of the desktop is attached, one that is neither text nor image is refused", async () => {
    const panel = await opened();
    const text = { name: "notes.md", type: "text/markdown", data: Buffer.from("# Größe").toString("base64") };
    const zip = {
      name: "all.zip",
      type: "application/zip",
      data: Buffer.from([80, 75, 3, 4, 0, 255]).toString("base64"),
    };
    await carry(panel, "drop", { files: [text, zip] });
    await notice(panel, "all.zip is not attached: it is neither text nor an image.");
    assert.deepEqual(await panel.sentOf("attach-text"), [{ type: "attach-text", name: "notes.md", text: "# Größe" }]);
  });

  it("V14 a file that cannot be attached stays beside those that are, with the reason, until it is removed or the message is sent", async () => {
    const panel = await opened();
    const refused = panel.page.getByRole("group", { name: "Refused files" }).getByRole("alert");
    const next = "Name it in the message: Rondo can search it and read parts.";
    const told = (name: string) => panel.post({ type: "refused-file", name, why: "it is larger than 50 MB", next });
    await told("dump.sql");
    await told("log\u202Egnp.txt");
    await told("dump.sql");
    await refused.filter({ hasText: "dump.sql" }).waitFor();
    assert.deepEqual(
      (await refused.allInnerTexts()).map((words) => words.split("\n")[0]),
      [
        `log[U+202E]gnp.txt is not attached: it is larger than 50 MB. ${next}`,
        `dump.sql is not attached: it is larger than 50 MB. ${next}`,
      ],
    );
    await panel.page.getByText(next, { exact: true }).waitFor();
    await button(panel, "Remove dump.sql").click();
    assert.equal(await refused.count(), 1);
    await carry(panel, "paste", { files: [noImage] });
    await refused.filter({ hasText: "notes.png" }).waitFor();
    await message(panel).fill("look at the rest");
    await message(panel).press("Enter");
    await refused.first().waitFor({ state: "detached" });
    const [prompt] = await panel.sentOf("prompt");
    assert.deepEqual(prompt?.attachments, []);
  });

  it("V14 a refused file does not go into another session", async () => {
    const panel = await opened();
    await panel.post({ type: "refused-file", name: "dump.sql", why: "it is larger than 50 MB", next: "" });
    const chip = panel.page.getByRole("alert").filter({ hasText: "dump.sql" });
    await chip.waitFor();
    const { session, ...another } = f.chat("Another", []);
    await panel.post(f.snapshot({ ...another, session: { ...session, id: "ses_another" } }));
    await chip.waitFor({ state: "detached" });
  });

  const picture = { mime: "image/gif", filename: "dot.gif", url: `data:image/gif;base64,${gif.data}` };
  const pasted = { mime: "text/plain", filename: "Pasted text, 120 lines", url: "data:text/plain;base64,eA==" };

  it("V14 chips open, are removed, and Backspace at the beginning of the message removes the last", async () => {
    const panel = await opened({ attachments: [pasted, picture] });
    await button(panel, "Show Pasted text, 120 lines").click();
    await button(panel, "Show dot.gif, 1 KB").click();
    assert.deepEqual(
      (await panel.sentOf("open-attachment")).map(({ index }) => index),
      [0, 1],
    );
    await button(panel, "Remove dot.gif").click();
    await message(panel).fill("x");
    await message(panel).press("Backspace");
    await message(panel).press("Backspace");
    assert.deepEqual(
      (await panel.sentOf("detach")).map(({ index }) => index),
      [1, 0],
    );
  });

  it("V14 a Backspace that is held empties the message and leaves the chips", async () => {
    const panel = await opened({ attachments: [pasted, picture] });
    await message(panel).fill("xy");
    await message(panel).focus();
    // A key that goes down again without having come up repeats.
    for (let times = 0; times < 5; times++) await panel.page.keyboard.down("Backspace");
    assert.equal(await message(panel).inputValue(), "");
    assert.deepEqual(await panel.sentOf("detach"), []);
    await panel.page.keyboard.up("Backspace");
    await message(panel).press("Backspace");
    assert.equal((await panel.sentOf("detach")).length, 1);
  });

  it("V14 says that the model cannot see pictures, and offers another", async () => {
    const panel = await opened({ attachments: [picture], model: f.qwen });
    await panel.page.getByText("qwen3-coder:30b cannot see pictures: it is told only that they are there.").waitFor();
    await button(panel, "Choose another model").click();
    await panel.page.getByRole("combobox", { name: "Search models" }).waitFor();
    await state(panel, { attachments: [pasted], model: f.qwen });
    assert.equal(await panel.page.getByText("cannot see pictures").count(), 0);
  });

  const selection = (change: Partial<SelectionView> = {}): SelectionView => ({
    ...{ filename: "src/cart.ts", uri: "file:///shop/src/cart.ts", start: 12, end: 18, on: true, why: "" },
    ...change,
  });

  it("V14 shows what is selected in the editor; its eye switches off that it is sent", async () => {
    const panel = await opened({ selection: selection() });
    const eye = button(panel, "Send the selection");
    assert.equal(await eye.getAttribute("aria-pressed"), "true");
    await eye.click();
    assert.deepEqual(await panel.sentOf("send-selection"), [{ type: "send-selection", on: false }]);
    await state(panel, { selection: selection({ on: false, start: 3, end: 3 }) });
    assert.equal(await eye.getAttribute("aria-pressed"), "false");
    await button(panel, "Show the selection cart.ts:3").click();
    assert.deepEqual(await panel.sentOf("open-file"), [{ type: "open-file", path: "/shop/src/cart.ts", line: 3 }]);
    await state(panel, { selection: undefined });
    assert.equal(await eye.count(), 0);
  });

  it("V14 opens what a sent message has in itself, as what an MCP server said", async () => {
    const said = {
      type: "file",
      mime: "text/plain",
      filename: "docs:greet",
      url: "data:text/plain;base64,eA==",
    } as const;
    const sent = f.you("/docs:greet", said);
    const panel = await panelWith(f.snapshot(f.chat("T", [sent])));
    await panel.page.getByRole("article", { name: "You" }).getByRole("button", { name: "docs:greet" }).click();
    const part = sent.parts.find(({ type }) => type === "file");
    assert.ok(part);
    assert.deepEqual(await panel.sentOf("open-sent"), [
      { type: "open-sent", messageID: sent.info.id, partID: part.id },
    ]);
  });

  it("V14 opens a file that was sent: the lines of a selection, a whole file without any", async () => {
    const file = { type: "file", mime: "text/plain", filename: "cart.ts", url: "file:///shop/cart.ts" } as const;
    const whole = { ...file, source: { start: 1, end: 90, text: "", whole: true } } as const;
    const some = { ...file, source: { start: 3, end: 5, text: "" } };
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you("one", whole), f.you("two", some)])));
    await button(panel, "File cart.ts").click();
    await button(panel, "Selection cart.ts:3–5").click();
    assert.deepEqual(await panel.sentOf("open-file"), [
      { type: "open-file", path: "/shop/cart.ts" },
      { type: "open-file", path: "/shop/cart.ts", line: 3, lastLine: 5 },
    ]);
  });

  it("V14 says why a selection is not sent, and offers no eye then", async () => {
    const panel = await opened({ selection: selection({ filename: ".env", why: "it may hold secrets" }) });
    await panel.page.getByTitle(".env is not sent: it may hold secrets.").waitFor();
    assert.equal(await button(panel, "Send the selection").count(), 0);
  });
});

/** Files that are not text in the encoding that VS Code reads them with: nothing writes over what it cannot restore (spec V25). */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { vscodeHost } from "../../src/extension/host/vscode-host.ts";
import { stepWindow } from "./step-window.ts";

const { signal } = new AbortController();
const latin = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
const original = latin("gr\xfcn\nblau\nwei\xdf\n");
const notWritten = /Rondo cannot write (those|the former bytes)/;

describe("bytes that are not text in the file's encoding", () => {
  const steps = stepWindow();
  const { at, uri, put, list, command, open, told, type } = steps;
  const bytes = (name: string) => readFile(at(name));
  const refusals = () => told.splice(0);
  const setting = async (section: string, value: unknown, language?: string) => {
    const scope = language === undefined ? undefined : { languageId: language };
    const settings = vscode.workspace.getConfiguration("files", scope);
    await settings.update(section, value, vscode.ConfigurationTarget.Global, language !== undefined);
    changed.push(() => settings.update(section, undefined, vscode.ConfigurationTarget.Global, language !== undefined));
  };
  const editorHost = () => {
    const host = vscodeHost({
      watch: steps.review,
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
      sandbox: () => "off" as const,
      secrets: () => [],
      state: [],
      markersFolder: path.join(os.tmpdir(), "rondo-markers"),
    });
    changed.push(async () => host.dispose());
    return host.forSession(path.join(os.tmpdir(), "rondo-outputs"));
  };
  const changed: (() => Thenable<void>)[] = [];
  afterEach(async () => {
    for (const undo of changed.splice(0)) await undo();
  });

  /** Decides in each way; whatever is refused, the file keeps these bytes. */
  async function keeps(name: string, present: Buffer): Promise<void> {
    await steps.review.reject(uri(name), 0);
    assert.deepEqual(await bytes(name), present, "a hunk");
    await steps.review.reject(uri(name));
    assert.deepEqual(await bytes(name), present, "the file");
    await steps.review.decide("reject");
    assert.deepEqual(await bytes(name), present, "all");
    const said = refusals();
    assert.equal(said.length, 3);
    for (const one of said) {
      assert.match(one, notWritten);
      assert.ok(one.includes(name), one);
    }
    assert.equal(list().length, 1);
  }

  for (const isOpen of [false, true]) {
    const how = isOpen ? "an open" : "a closed";
    it(`V25 a reject leaves ${how} file in Latin-1 as it is, and a restore puts back each byte`, async () => {
      await put("a.txt", original);
      if (isOpen) await open("a.txt");
      const begun = await command("sed -i s/blau/rot/ a.txt");
      const present = latin("gr\xfcn\nrot\nwei\xdf\n");
      assert.deepEqual(list(), ["changed a.txt 1"]);
      await keeps("a.txt", present);
      const { files } = await steps.checkpoints.preview(begun, signal);
      const { left } = await steps.checkpoints.restore(
        begun,
        files.map(({ path }) => path),
        signal,
      );
      assert.deepEqual(left, []);
      assert.deepEqual(await bytes("a.txt"), original);
      await steps.checkpoints.undo(signal);
      assert.deepEqual(await bytes("a.txt"), present);
    });

    it(`V25 a reject of a conversion to UTF-8 is refused, in ${how} file`, async () => {
      await put("a.txt", original);
      if (isOpen) await open("a.txt");
      await command("iconv -f latin1 -t utf8 a.txt > b && mv b a.txt");
      await keeps("a.txt", Buffer.from("grün\nblau\nweiß\n"));
    });

    it(`V25 an accept of a file in Latin-1, and its undo, write nothing, in ${how} file`, async () => {
      await put("a.txt", original);
      if (isOpen) await open("a.txt");
      await command("sed -i s/blau/rot/ a.txt");
      await steps.review.accept(uri("a.txt"));
      assert.deepEqual(list(), []);
      await steps.review.undoDecision();
      assert.deepEqual(list(), ["changed a.txt 1"]);
      assert.deepEqual(await bytes("a.txt"), latin("gr\xfcn\nrot\nwei\xdf\n"));
    });
  }

  it("V25 of a document that a reload has left, the review knows the same", async () => {
    await put("a.txt", original);
    await command("iconv -f latin1 -t utf8 a.txt > b && mv b a.txt");
    await steps.end();
    steps.begin();
    await steps.review.load();
    await keeps("a.txt", Buffer.from("grün\nblau\nweiß\n"));
  });

  it("V25 rejecting all rejects the other files, and names those that were left once", async () => {
    for (const name of ["a.txt", "b.txt"]) await put(name, original);
    await put("c.txt", "one\ntwo\n");
    await command("sed -i s/blau/rot/ a.txt b.txt; sed -i s/two/2/ c.txt; echo new > d.txt");
    await steps.review.decide("reject");
    assert.deepEqual(list(), ["changed a.txt 1", "changed b.txt 1"]);
    assert.equal(await steps.disk("c.txt"), "one\ntwo\n");
    assert.ok(!existsSync(at("d.txt")));
    const [said = "", ...more] = refusals();
    assert.deepEqual(more, []);
    assert.match(said, /^2 files could not be changed back: .*a\.txt, .*b\.txt\. /);
    assert.match(said, notWritten);
    for (const name of ["a.txt", "b.txt"]) assert.deepEqual(await bytes(name), latin("gr\xfcn\nrot\nwei\xdf\n"));
  });

  it("V25 a deleted file comes back to the byte, or not at all", async () => {
    const files = {
      "bom.txt": Buffer.from("\ufeffone\n"),
      "empty.txt": Buffer.of(),
      "utf16.txt": utf16("one\n"),
      "utf8.txt": Buffer.from("größe\n"),
    };
    await put("latin.txt", original);
    for (const [name, content] of Object.entries(files)) await put(name, content);
    await command("rm *.txt");
    assert.equal(list().length, 5);
    await steps.review.decide("reject");
    for (const [name, content] of Object.entries(files)) assert.deepEqual(await bytes(name), content, name);
    assert.ok(!existsSync(at("latin.txt")));
    assert.deepEqual(list(), ["deleted latin.txt 1"]);
    assert.match(refusals().join(), /latin\.txt could not be changed back.*cannot write the former bytes/);
  });

  it("V25 a created file is deleted only if undo can write it again to the byte", async () => {
    await command("printf 'gr\\374n\\n' > latin.txt; printf '\\357\\273\\277one\\n' > bom.txt");
    await steps.review.decide("reject");
    assert.deepEqual(await bytes("latin.txt"), latin("gr\xfcn\n"));
    assert.ok(!existsSync(at("bom.txt")));
    assert.match(refusals().join(), /latin\.txt could not be changed back/);
    await steps.review.undoDecision();
    assert.deepEqual(await bytes("bom.txt"), Buffer.from("\ufeffone\n"));
  });

  it("V25 a moved file moves back to the byte, and is not written where it cannot be", async () => {
    await put("a.txt", original);
    await put("b.txt", original);
    await command("mv a.txt moved-a.txt");
    await command("mv b.txt moved-b.txt; sed -i s/blau/rot/ moved-b.txt");
    await steps.review.decide("reject");
    assert.deepEqual(await bytes("a.txt"), original);
    assert.deepEqual(await bytes("moved-b.txt"), latin("gr\xfcn\nrot\nwei\xdf\n"));
    assert.match(refusals().join(), /moved-b\.txt could not be changed back/);
    await steps.review.undoDecision();
    assert.deepEqual(await bytes("moved-a.txt"), original);
  });

  const conversions: { name: string; before: Buffer; after: Buffer }[] = [
    { name: "a byte order mark goes", before: Buffer.from("\ufeffone\ntwo\n"), after: Buffer.from("one\n2\n") },
    { name: "a byte order mark comes", before: Buffer.from("one\ntwo\n"), after: Buffer.from("\ufeffone\n2\n") },
    { name: "UTF-16 becomes UTF-8", before: utf16("one\ntwo\n"), after: Buffer.from("one\n2\n") },
    { name: "UTF-8 becomes UTF-16", before: Buffer.from("one\ntwo\n"), after: utf16("one\n2\n") },
    { name: "UTF-8 becomes Latin-1", before: Buffer.from("grün\nzwei\n"), after: latin("gr\xfcn\n2\n") },
    { name: "a byte is broken", before: Buffer.from("grün\ntwo\n"), after: latin("gr\xc3n\ntwo\n") },
    { name: "a broken byte is repaired", before: latin("gr\xc3n\ntwo\n"), after: Buffer.from("grün\n2\n") },
    {
      name: "two byte order marks",
      before: latin("\xef\xbb\xbf\xef\xbb\xbfone\n"),
      after: latin("\xef\xbb\xbf\xef\xbb\xbf1\n"),
    },
  ];
  for (const { name, before, after } of conversions) {
    for (const isOpen of [false, true]) {
      it(`V25 a reject writes nothing where ${name}, ${isOpen ? "open" : "closed"}`, async () => {
        await put("a.txt", before);
        await put("new", after);
        const document = isOpen ? await open("a.txt") : undefined;
        await command("cat new > a.txt");
        // VS Code reads the file again, and has another encoding then.
        const isUtf16 = (content: Buffer) => content[0] === 0xff;
        const shown = isUtf16(after) ? "utf16le" : "utf8";
        if (document && isUtf16(after) !== isUtf16(before)) {
          await steps.until("VS Code has read it", () => document.encoding === shown);
        }
        await keeps("a.txt", after);
      });
    }
  }

  const kept: { name: string; encode(text: string): Buffer }[] = [
    { name: "UTF-8 with a byte order mark", encode: (text) => Buffer.from(`\ufeff${text}`) },
    { name: "UTF-16", encode: utf16 },
    { name: "UTF-8 with U+FFFD in it", encode: (text) => Buffer.from(`${text}\ufffd\n`) },
    { name: "mixed line ends and a byte order mark", encode: (text) => Buffer.from(`\ufeff1\r\n2\n${text}`) },
  ];
  for (const { name, encode } of kept) {
    for (const isOpen of [false, true]) {
      it(`V25 a reject and its undo keep each byte of ${name}, ${isOpen ? "open" : "closed"}`, async () => {
        const [before, after] = [encode("grün\nblau\n"), encode("grün\nrot\n")];
        await put("a.txt", before);
        await put("new", after);
        if (isOpen) await open("a.txt");
        await command("cat new > a.txt");
        await steps.review.reject(uri("a.txt"));
        assert.deepEqual(await bytes("a.txt"), before);
        await steps.review.undoDecision();
        assert.deepEqual(await bytes("a.txt"), after);
      });
    }
  }

  const settings = [
    { name: "a language's encoding", set: () => setting("encoding", "windows1252", "plaintext") },
    { name: "an encoding that VS Code guesses", set: () => setting("autoGuessEncoding", true) },
  ];
  for (const [name, set, isOpen] of settings.flatMap(({ name, set }) =>
    [true, false].map((is) => [name, set, is] as const),
  )) {
    it(`V25 a reject and its undo keep each byte with ${name}, ${isOpen ? "open" : "closed"}`, async () => {
      await set();
      await put("a.txt", original);
      if (isOpen) await open("a.txt");
      await command("sed -i s/blau/rot/ a.txt");
      await steps.review.reject(uri("a.txt"));
      assert.deepEqual(await bytes("a.txt"), original);
      await steps.review.undoDecision();
      assert.deepEqual(await bytes("a.txt"), latin("gr\xfcn\nrot\nwei\xdf\n"));
    });
  }

  it("V25 a byte that the encoding of the settings lacks is not replaced", async () => {
    await setting("encoding", "windows1252");
    await put("a.txt", latin("gr\xfcn\x81\nblau\n"));
    await command("sed -i s/blau/rot/ a.txt");
    await keeps("a.txt", latin("gr\xfcn\x81\nrot\n"));
  });

  it("V25 a file that was reopened in its own encoding is rejected to the byte", async () => {
    await put("a.txt", original);
    const document = await vscode.workspace.openTextDocument(uri("a.txt"), { encoding: "iso88591" });
    await vscode.window.showTextDocument(document);
    assert.equal(document.getText(), "grün\nblau\nweiß\n");
    await command("sed -i s/blau/rot/ a.txt");
    await steps.review.reject(uri("a.txt"));
    assert.deepEqual(await bytes("a.txt"), original);
  });

  it("V25 unsaved changes of a document of replaced bytes are not taken for its text", async () => {
    await put("a.txt", original);
    await command("sed -i s/blau/rot/ a.txt");
    const document = await open("a.txt");
    await type(document, 0, "mine ");
    await steps.review.reject(uri("a.txt"));
    assert.match(refusals().join(), notWritten);
    assert.deepEqual(await bytes("a.txt"), latin("gr\xfcn\nrot\nwei\xdf\n"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("V25 a notebook with bytes that are not text is not written", async () => {
    const cell = (source: string) => ({
      cell_type: "code",
      id: "a",
      metadata: {},
      outputs: [],
      execution_count: null,
      source: [source],
    });
    const notebook = (source: string) =>
      latin(
        JSON.stringify({
          cells: [cell("gr\xfcn"), { ...cell(source), id: "b" }],
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        }),
      );
    await put("a.ipynb", notebook("one"));
    await put("new", notebook("two"));
    await command("cat new > a.ipynb");
    await steps.review.decide("reject");
    assert.match(refusals().join(), notWritten);
    assert.deepEqual(await bytes("a.ipynb"), notebook("two"));
  });

  it("T12 tools write no file that has bytes outside its encoding", async () => {
    const { workspace } = editorHost();
    const writes = async (name: string) => {
      const found = await workspace.open(at(name), signal);
      if (found.type !== "text") return found.type;
      await workspace.write(found.file, `${found.file.text}more\n`, found.file.version, signal);
      return "written";
    };
    await put("latin.txt", original);
    await put("twice.txt", latin("\xef\xbb\xbf\xef\xbb\xbfone\n"));
    await open("latin.txt");
    assert.equal(await writes("latin.txt"), "unknown-encoding");
    assert.equal(await writes("twice.txt"), "unknown-encoding");
    await setting("encoding", "windows1252");
    await put("gap.txt", latin("gr\xfcn\x81\n"));
    assert.equal(await writes("gap.txt"), "unknown-encoding");
    const document = await open("gap.txt");
    await type(document, 0, "mine ");
    assert.equal(await writes("gap.txt"), "unknown-encoding");
    await vscode.commands.executeCommand("workbench.action.files.revert");
    assert.deepEqual(await bytes("gap.txt"), latin("gr\xfcn\x81\n"));
    await put("good.txt", original);
    assert.equal(await writes("good.txt"), "written");
    assert.deepEqual(await bytes("good.txt"), Buffer.concat([original, Buffer.from("more\n")]));
  });

  it("V25 a file that a tool deletes comes back to the byte", async () => {
    const { workspace } = editorHost();
    for (const content of [Buffer.from("\ufeffone\n"), utf16("one\n")]) {
      await writeFile(at("a.txt"), content);
      const found = await workspace.open(at("a.txt"), signal);
      assert.equal(found.type, "text");
      if (found.type === "text") await workspace.remove(found.file, found.file.version, signal);
      assert.deepEqual(list(), ["deleted a.txt 1"]);
      await steps.review.reject(uri("a.txt"));
      assert.deepEqual(await bytes("a.txt"), content);
    }
  });
});

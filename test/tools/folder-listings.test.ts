import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FolderListings } from "../../src/tools/node-host/folder-listings.ts";

describe("T8 listings of folders", () => {
  let root: string;
  let listings: FolderListings;
  const at = (name: string) => path.join(root, name);
  const put = (name: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), "x");
  };
  /** Lists a folder until its listing is kept. */
  const settle = async (name: string) => {
    for (let tries = 0; tries < 1000; tries++) {
      const [one, other] = [listings.list(at(name)), listings.list(at(name))];
      if (one && one === other) return;
      await delay(20);
    }
    assert.fail("no listing is kept");
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "listings-")));
    listings = new FolderListings([root]);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("tell files, folders and links apart, also hidden ones, in order", () => {
    for (const name of ["b", "a", ".env", "folder/x", ".git/config"]) put(name);
    assert.deepEqual(listings.list(root), { files: [".env", "a", "b"], folders: [".git", "folder"], links: [] });
  });

  it("are undefined for files and for what does not exist", () => {
    put("a");
    assert.equal(listings.list(at("a")), undefined);
    assert.equal(listings.list(at("none")), undefined);
  });

  it("show each change at once, however fast changes follow each other", () => {
    for (let round = 0; round < 500; round++) {
      put(`${round}.pem`);
      assert.ok(listings.list(root)?.files.includes(`${round}.pem`));
      rmSync(at(`${round}.pem`));
      assert.ok(!listings.list(root)?.files.includes(`${round}.pem`));
    }
  });

  describe("that are kept", () => {
    before(function () {
      if (process.platform !== "linux") this.skip();
    });

    it("show what comes and goes", async () => {
      put("folder/a");
      await settle("folder");
      put("folder/.env");
      assert.deepEqual(listings.list(at("folder"))?.files, [".env", "a"]);
      await settle("folder");
      rmSync(at("folder/a"));
      assert.deepEqual(listings.list(at("folder"))?.files, [".env"]);
    });

    it("show a file although the folder's time was set back", async () => {
      put("folder/a");
      await settle("folder");
      const { atime, mtime } = statSync(at("folder"));
      put("folder/.env");
      utimesSync(at("folder"), atime, mtime);
      assert.deepEqual(listings.list(at("folder"))?.files, [".env", "a"]);
    });

    it("show another folder in the same place", async () => {
      put("folder/a");
      put("other/.env");
      await settle("folder");
      await settle("other");
      renameSync(at("folder"), at("third"));
      renameSync(at("other"), at("folder"));
      assert.deepEqual(listings.list(at("folder"))?.files, [".env"]);
      assert.deepEqual(listings.list(at("third"))?.files, ["a"]);
    });

    it("are not kept while a further change could leave no trace", () => {
      put("folder/a");
      const first = listings.list(at("folder"));
      // Only if the machine was not busy for longer than a step.
      if (Date.now() - statSync(at("folder")).ctimeMs < 50) assert.notEqual(listings.list(at("folder")), first);
    });

    it("are not kept on other file systems", () => {
      const proc = new FolderListings(["/proc/self"]);
      assert.notEqual(proc.list("/proc/self"), undefined);
      assert.notEqual(proc.list("/proc/self"), proc.list("/proc/self"));
    });
  });
});

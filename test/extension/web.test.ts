import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { webFetchTool } from "../../src/tools/built-in/web-fetch.ts";
import { planOf, refusalOf } from "../tools/context.ts";

describe("web_fetch in VS Code", () => {
  const http = vscode.workspace.getConfiguration("http");
  const { Global } = vscode.ConfigurationTarget;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
  });
  let port = 0;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A listening server has this form of address.
    ({ port } = server.address() as AddressInfo);
    // VS Code applies its proxy to all requests of extensions.
    await http.update("proxy", `http://127.0.0.1:${port}`, Global);
    await http.update("proxySupport", "override", Global);
  });

  after(async () => {
    server.close();
    await http.update("proxy", undefined, Global);
    await http.update("proxySupport", undefined, Global);
  });

  const fetchFrom = async (address: string) => {
    const resolve = async () => [{ address, family: 4 }];
    const tool = webFetchTool({ resolve, isPublic: (one) => one === "127.0.0.1" });
    const plan = await planOf(tool, { url: `http://docs.example.org:${port}/` });
    return await plan.run(() => {});
  };

  it("T11 connects to the checked address regardless of proxy settings, and reads the page in its own thread", async () => {
    assert.match((await fetchFrom("127.0.0.1")).output, /\n# Hello\n/);
    assert.equal(requests.at(-1)?.url, "/", "a proxy would be sent the whole address");
    const before = requests.length;
    assert.match(await refusalOf(() => fetchFrom("10.0.0.1")), /not on the public internet/);
    assert.equal(requests.length, before);
  });
});

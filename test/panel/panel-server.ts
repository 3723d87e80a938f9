/** Serves the panel's files on a port of this machine, as VS Code serves a webview's. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const types: Record<string, string> = {
  ...{ html: "text/html", css: "text/css", js: "text/javascript", ttf: "font/ttf" },
  ...{ woff: "font/woff", woff2: "font/woff2" },
};

/** Names of files, with what they hold; a font is read when it is first asked for. */
export type Files = Map<string, Buffer | (() => Promise<Buffer>)>;

export async function servePanel(files: Files): Promise<{ port: number; close(): void }> {
  const server: Server = createServer(async ({ url = "/" }, response) => {
    const name = new URL(url, "http://panel").pathname.slice(1);
    const file = files.get(name);
    if (!file) return response.writeHead(404).end();
    const body = typeof file === "function" ? await file() : file;
    files.set(name, body);
    const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain";
    // Other pages of the same browser have them at once, compiled.
    const cached = name === "page.html" ? "no-store" : "max-age=3600";
    return response.writeHead(200, { "content-type": type, "cache-control": cached }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

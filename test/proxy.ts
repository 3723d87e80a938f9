/** A proxy on loopback, which takes every host to one port, and TLS with a certificate of an authority of its own. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { createServer as createTlsServer } from "node:tls";

interface Listening {
  port: number;
  stop(): Promise<void>;
}

interface Proxy extends Listening {
  url: string;
  /** Hosts that it was asked for: "models.test:443". */
  asked: string[];
}

async function listen(server: Server): Promise<Listening> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // a listening server has this form of address
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function join(one: Socket, port: number): void {
  const other = connect(port, "127.0.0.1");
  other.on("error", () => one.destroy());
  one.on("error", () => other.destroy());
  one.pipe(other).pipe(one);
}

/** Starts a proxy that takes tunnels and plain requests alike. */
export async function startProxy(target: number): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    const { host, pathname, search } = new URL(incoming.url ?? "");
    asked.push(host);
    const { method, headers } = incoming;
    const onward = request({ host: "127.0.0.1", port: target, path: `${pathname}${search}`, method, headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket: Socket) => {
    asked.push(incoming.url ?? "");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    join(socket, target);
  });
  const listening = await listen(server);
  return { ...listening, url: `http://127.0.0.1:${listening.port}`, asked };
}

export interface TlsFront extends Listening {
  /** File with the certificate of the authority. */
  authority: string;
}

/** Starts a server that decrypts for another one, as `host`. Undefined where there is no `openssl`. */
export async function startTls(host: string, target: number): Promise<TlsFront | undefined> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-tls-"));
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    openssl("req", "-x509", ...newKey, "-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=Rondo test");
    openssl("req", ...newKey, "-keyout", file("key.pem"), "-out", file("request.pem"), "-subj", `/CN=${host}`);
    writeFileSync(file("names"), `subjectAltName=DNS:${host}\n`);
    const authority = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("names")];
    openssl("x509", "-req", "-in", file("request.pem"), "-out", file("cert.pem"), ...authority);
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const own = { key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) };
  const listening = await listen(createTlsServer(own, (socket) => join(socket, target)).on("tlsClientError", () => {}));
  return {
    ...listening,
    authority: file("ca.pem"),
    async stop() {
      await listening.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Proxies and certificates of the environment, over real tunnels and real TLS. */
import assert from "node:assert/strict";
import { startProxy, startTls } from "../proxy.ts";
import { places, says } from "./headless-run.ts";

const host = "models.test";

describe("headless run: proxies", () => {
  const open = places();

  /** A model server behind TLS, which only the proxy finds. */
  async function behindProxy() {
    const place = await open(() => says("Hello."));
    const { port } = new URL(place.server.url);
    const tls = await startTls(host, Number(port));
    const proxy = await startProxy(tls?.port ?? 0);
    const stop = () => Promise.all([proxy.stop(), tls?.stop()]);
    return { place, tls, proxy, stop };
  }

  it("M1 every provider goes through HTTPS_PROXY, and its certificate is checked by NODE_EXTRA_CA_CERTS", async function () {
    const { place, tls, proxy, stop } = await behindProxy();
    try {
      if (!tls) return this.skip();
      const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: tls.authority, OPENAI_API_KEY: "test-key" };
      const address = ["--base-url", `https://${host}/v1`, "--model", "m", "--max-retries", "0"];
      const runs: string[][] = [
        ["--provider", "anthropic"],
        ["--provider", "openai", "--api", "chat"],
        ["--provider", "openai", "--api", "responses"],
      ];
      for (const provider of runs) {
        const before = proxy.asked.length;
        const { code, stdout, stderr } = await place.run([...address, ...provider, "Hi"], { env });
        assert.deepEqual([code, stdout], [0, "Hello.\n"], stderr);
        assert.deepEqual([...new Set(proxy.asked.slice(before))], [`${host}:443`]);
      }
      const unknown = await place.run([...address, "Hi"], { env: { HTTPS_PROXY: proxy.url } });
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /The certificate of models\.test was not accepted/);
    } finally {
      await stop();
    }
  });

  it("M1 NO_PROXY and loopback addresses are reached directly; a proxy that is no address is told", async () => {
    const { place, proxy, stop } = await behindProxy();
    try {
      const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
      assert.equal((await place.run(["Hi"], { env })).code, 0);
      const address = ["--base-url", `https://${host}`, "--model", "m", "--max-retries", "0"];
      const direct = await place.run([...address, "Hi"], { env: { ...env, NO_PROXY: ".test" } });
      assert.match(direct.stderr, /The address of models\.test was not found/);
      assert.deepEqual(proxy.asked, []);
      const wrong = await place.run(["Hi"], { env: { HTTPS_PROXY: "http://a b" } });
      assert.match(wrong.stderr, /The proxy of HTTPS_PROXY is not used: its value is not an address\./);
    } finally {
      await stop();
    }
  });
});

import assert from "node:assert/strict";
import { isPublicAddress, publicURL } from "../../src/tools/web/address.ts";

/** From the IANA registries of special addresses, and from known attacks on fetchers. */
const inner = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3
  127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1
  192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  :: ::1 0:0:0:0:0:0:0:1 ::127.0.0.1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:0:7f00:1
  64:ff9b::7f00:1 64:ff9b::169.254.169.254 64:ff9b::8.8.8.8 64:ff9b:1::a00:1 100::1 2001::1 2001:0:7f00:1::
  2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe:: 3fff::1 4000::1 5f00::1 8000::1
  fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff05::1:3
  127.1 0x7f.1 0177.0.0.1 2130706433 localhost example.com 1.2.3 256.1.1.1 1.2.3.4.5`;

const outer = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 128.0.0.1 172.15.255.255 172.32.0.1
  168.63.129.15 169.253.1.1 192.167.1.1 192.169.0.1 198.17.0.1 223.255.255.1
  2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::1 2400:cb00::1 2620:fe::fe`;

const list = (text: string) => text.trim().split(/\s+/);

describe("public addresses", () => {
  for (const address of list(inner)) {
    it(`T11 ${address} is not`, () => assert.equal(isPublicAddress(address), false));
  }
  for (const address of list(outer)) {
    it(`T11 ${address} is`, () => assert.equal(isPublicAddress(address), true));
  }
});

describe("addresses that are fetched", () => {
  for (const [text, href] of [
    ["https://docs.rs/serde", "https://docs.rs/serde"],
    ["HTTPS://Docs.RS:443/Serde#macros", "https://docs.rs/Serde"],
    ["http://example.com", "http://example.com/"],
    ["http://example.com:8080/?a=1&b=2#c", "http://example.com:8080/?a=1&b=2"],
    ["https://bücher.example.org/ä", "https://xn--bcher-kva.example.org/%C3%A4"],
    ["https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
  ] as const) {
    it(`T11 ${text} is, as ${href}`, () => assert.equal(publicURL(text).href, href));
  }

  for (const [text, why] of [
    ["docs.rs/serde", /no address|is not an address/],
    ["", /is not an address/],
    ["https://", /is not an address/],
    ["file:///etc/passwd", /Only http and https/],
    ["ftp://example.com/x", /Only http and https/],
    ["javascript:alert(1)", /Only http and https/],
    ["data:text/plain,x", /Only http and https/],
    ["vscode://x.y/z", /Only http and https/],
    ["https://user@example.com/", /user name/],
    ["https://user:secret@example.com/", /user name/],
    ["https://:secret@example.com/", /user name/],
    [`https://example.com/${"a".repeat(2000)}`, /more than 2000/],
    ["http://localhost/", /not on the public internet/],
    ["http://localhost./", /not on the public internet/],
    ["http://LOCALHOST:3000/x", /not on the public internet/],
    ["http://a.localhost/", /not on the public internet/],
    ["http://printer.local/", /not on the public internet/],
    ["http://metadata.google.internal/computeMetadata/v1/", /not on the public internet/],
    ["http://router.home.arpa/", /not on the public internet/],
    ["http://intranet/", /not on the public internet/],
    ["http://127.0.0.1/", /not on the public internet/],
    ["http://127.1/", /not on the public internet/],
    ["http://0x7f000001/", /not on the public internet/],
    ["http://017700000001/", /not on the public internet/],
    ["http://2130706433/", /not on the public internet/],
    ["http://0/", /not on the public internet/],
    ["http://①②⑦.⓪.⓪.①/", /not on the public internet/],
    ["http://127。0。0。1/", /not on the public internet/],
    ["http://169.254.169.254/latest/meta-data/", /not on the public internet/],
    ["http://[::1]/", /not on the public internet/],
    ["http://[::ffff:127.0.0.1]/", /not on the public internet/],
    ["http://[::ffff:a9fe:a9fe]/", /not on the public internet/],
    ["http://[64:ff9b::7f00:1]/", /not on the public internet/],
    ["http://[fe80::1%25eth0]/", /is not an address/],
    ["http://192.168.1.1\\@example.com/", /not on the public internet/],
    ["http://example.com@127.0.0.1/", /user name/],
  ] as const) {
    it(`T11 ${text.slice(0, 60)} is not`, () => {
      assert.throws(
        () => publicURL(text),
        (error) => error instanceof Error && error.name === "ToolError" && why.test(error.message),
      );
    });
  }
});

import { launch } from "./page.ts";
import { states } from "./states.ts";

const b = await launch();
const p = await b.open({ width: 480 });
await p.post(...states["tasks"].messages);
const { default: code0 } = await import("/tmp/w/answer/dist/diagrams.js");
const code = code0.replace(
  /message:(\w+) instanceof \w+\?\1\.message:\w+\(\1\)/,
  "message:String($1.stack||$1.message||JSON.stringify($1))",
);
console.log(code === code0);
console.log(
  await p.page.evaluate(async (code) => {
    const w = new Worker(URL.createObjectURL(new Blob([code])));
    return await new Promise((d) => {
      w.onerror = (e) => d(e.message + e.lineno);
      w.onmessage = (e) => {
        if (e.data.type !== "ready") d(JSON.stringify(e.data).slice(0, 1500));
        else w.postMessage({ id: 1, input: { source: "graph TD\nA-->B", font: "x", colours: {} } });
      };
    });
  }, code),
);
await b.close();

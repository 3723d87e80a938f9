import { harnesses } from "/work/main/test/loop/harness.ts";
describe("perf", () => {
  const open = harnesses();
  it("1000 steps", async () => {
    let n = 0; const at: number[] = [];
    const h = open(() => { at.push(performance.now()); return n++ < 1000 ? [{ call: "read", input: { file_path: "a.txt", offset: n } }] : ["Done."]; }, { files: { "a.txt": "x\n".repeat(2000) }, limits: { maxTurns: 2000 } });
    const t: number[] = [];
    let s = 0;
    h.session.listen((e) => { if (e.type === "part" && e.part.type === "tool") { if (e.part.state.status === "running" && !e.part.state.title) s = performance.now(); else if (e.part.state.status === "completed" || e.part.state.status === "error") t.push(performance.now() - s); } });
    await h.turn();
    const avg = (a: number[]) => (a.reduce((x, y) => x + y, 0) / a.length).toFixed(3);
    console.log("call ms first 100", avg(t.slice(100, 200)), "last 100", avg(t.slice(-100)), t.length);
  }).timeout(60000);
});

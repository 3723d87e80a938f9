/**
 * Runs one prompt on one folder in plain Node: for scripts, tests and benchmarks. Only the entry must be an ES module, which
 * imports no module of Node: `import` of one reads all of its exports.
 */
const { start } = await import("./start.ts");
process.exitCode = await start(process.argv.slice(2));

export {};

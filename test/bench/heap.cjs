// Loaded before the program that is measured: on SIGUSR2 it says how much of its heap is in use after a full collection.
process.on("SIGUSR2", () => {
  global.gc?.();
  global.gc?.();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});

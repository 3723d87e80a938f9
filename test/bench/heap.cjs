// Loaded before the measured program: on SIGUSR2 it prints the size of its heap after a full collection.
process.on("SIGUSR2", () => {
  global.gc?.();
  global.gc?.();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});

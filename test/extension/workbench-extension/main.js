/** An extension as others write them: it brings a debugger, whose program prints what it is told, and a test that fails. */
const vscode = require("vscode");

/** The configuration of `rondo-test` has the texts to print: `prints`, and of the category "telemetry" `reports`. */
exports.activate = (/** @type {import("vscode").ExtensionContext} */ { subscriptions }) => {
  const controller = vscode.tests.createTestController("rondo-test", "Rondo's tests");
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const file = folder && vscode.Uri.joinPath(folder.uri, "src", "cart.js");
  const suite = controller.createTestItem("cart", "cart", file);
  const test = controller.createTestItem("adds", "adds up", file);
  test.range = new vscode.Range(2, 0, 2, 5);
  suite.children.add(test);
  controller.items.add(suite);
  controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (request) => {
    const run = controller.createTestRun(request);
    const message = vscode.TestMessage.diff("totals differ", "905", "904");
    if (file) message.location = new vscode.Location(file, new vscode.Position(4, 0));
    run.failed(test, message);
    run.end();
  });
  subscriptions.push(
    controller,
    vscode.debug.registerDebugAdapterDescriptorFactory("rondo-test", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterInlineImplementation(printingAdapter()),
    }),
    vscode.commands.registerCommand("rondo-test.debug", () =>
      vscode.debug.startDebugging(undefined, {
        ...{ type: "rondo-test", request: "launch", name: "Toy program" },
        prints: ["\u001b[31mthe cart is empty\u001b[0m\n"],
      }),
    ),
  );
  return { controller, suite, test };
};

/** Speaks as much of the Debug Adapter Protocol as a session needs. */
function printingAdapter() {
  const sent = new vscode.EventEmitter();
  let seq = 0;
  const send = (/** @type {object} */ message) => sent.fire({ seq: ++seq, ...message });
  return {
    onDidSendMessage: sent.event,
    handleMessage(/** @type {any} */ { seq: request_seq, command, arguments: given }) {
      send({
        type: "response",
        request_seq,
        command,
        success: true,
        body: command === "threads" ? { threads: [] } : {},
      });
      if (command === "initialize") send({ type: "event", event: "initialized" });
      if (command === "disconnect" || command === "terminate") send({ type: "event", event: "terminated" });
      if (command !== "launch") return;
      for (const output of given.reports ?? []) {
        send({ type: "event", event: "output", body: { category: "telemetry", output } });
      }
      for (const output of given.prints ?? []) {
        send({ type: "event", event: "output", body: { category: "stdout", output } });
      }
    },
    dispose: () => sent.dispose(),
  };
}

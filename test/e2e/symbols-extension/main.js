/**
 * An extension that brings the symbols of TypeScript's own language service: the VS Code of the tests is one without
 * it. The setting `rondo-test.typescript` names the library.
 */
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

/** @type {import("typescript")} */
const ts = require(vscode.workspace.getConfiguration("rondo-test").get("typescript", ""));
const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
const read = (/** @type {string} */ file) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined);
const files = () => ts.sys.readDirectory(path.join(folder, "symbols"), [".ts"]);

const service = ts.createLanguageService({
  getCompilationSettings: () => ({ noLib: true }),
  getCurrentDirectory: () => folder,
  getDefaultLibFileName: () => "lib.d.ts",
  getScriptFileNames: files,
  getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(read(file) ?? ""),
  getScriptVersion: (file) => String(read(file)?.length ?? 0),
  fileExists: ts.sys.fileExists,
  readFile: read,
});

/** @type {Record<string, vscode.SymbolKind>} */
const kinds = {
  class: vscode.SymbolKind.Class,
  function: vscode.SymbolKind.Function,
  method: vscode.SymbolKind.Method,
  property: vscode.SymbolKind.Field,
};
const kindOf = (/** @type {string} */ kind) => kinds[kind] ?? vscode.SymbolKind.Variable;

function rangeIn(/** @type {string} */ file, /** @type {import("typescript").TextSpan} */ { start, length }) {
  const source = service.getProgram()?.getSourceFile(file);
  const at = (/** @type {number} */ offset) => {
    const { line, character } = source?.getLineAndCharacterOfPosition(offset) ?? { line: 0, character: 0 };
    return new vscode.Position(line, character);
  };
  return new vscode.Range(at(start), at(start + length));
}

/** @type {(file: string, tree: import("typescript").NavigationTree) => vscode.DocumentSymbol} */
function symbolOf(file, { text, kind, spans: [span], nameSpan, childItems }) {
  const whole = rangeIn(file, span ?? { start: 0, length: 0 });
  const name = nameSpan ? rangeIn(file, nameSpan) : whole;
  const symbol = new vscode.DocumentSymbol(text, "", kindOf(kind), whole, name);
  symbol.children = (childItems ?? []).map((child) => symbolOf(file, child));
  return symbol;
}

exports.activate = (/** @type {import("vscode").ExtensionContext} */ context) => {
  context.subscriptions.push(
    vscode.languages.registerDocumentSymbolProvider("typescript", {
      provideDocumentSymbols: ({ uri }) =>
        service.getNavigationTree(uri.fsPath).childItems?.map((item) => symbolOf(uri.fsPath, item)),
    }),
    vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (query) =>
        service.getNavigateToItems(query).map(({ name, kind, containerName, fileName, textSpan }) => {
          const place = new vscode.Location(vscode.Uri.file(fileName), rangeIn(fileName, textSpan));
          return new vscode.SymbolInformation(name, kindOf(kind), containerName, place);
        }),
    }),
  );
};

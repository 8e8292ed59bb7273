// The setting `quantcfg.files`: further files that are of our language.
import * as vscode from 'vscode';

function adopt(document: vscode.TextDocument): void {
  if (document.languageId === 'quantcfg') return;
  const globs = vscode.workspace.getConfiguration('quantcfg', document).get<string[]>('files', []);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const fits = globs.some((glob) => {
    const pattern = folder ? new vscode.RelativePattern(folder, glob) : glob;
    return vscode.languages.match({ pattern }, document) > 0;
  });
  if (fits) void vscode.languages.setTextDocumentLanguage(document, 'quantcfg');
}

export function followFileSettings(): vscode.Disposable {
  const adoptAll = () => vscode.workspace.textDocuments.forEach(adopt);
  adoptAll();
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(adopt),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('quantcfg.files')) adoptAll();
    }),
  );
}

// Wires the parts together: the server, the status item and the table.
import * as vscode from 'vscode';
import { Server } from './client';
import { EffectiveView } from './effective';
import { followFileSettings } from './files';
import { StatusItem } from './status';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const running = new Server(context);
  server = running;
  const view = new EffectiveView(context.extensionUri, running);
  const status = new StatusItem(running);
  const command = (name: string, run: (...args: unknown[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command('quantcfg.showEffective', (uri) => view.show(uri as string | vscode.Uri | undefined));
  command('quantcfg.switchReading', () => status.choose());
  command('quantcfg.restartServer', () => running.restart());
  context.subscriptions.push(view, status, followFileSettings());

  // The server is started by the first file that needs it.
  const startFor = (document: vscode.TextDocument) => {
    if (document.languageId === 'quantcfg') void running.start();
  };
  vscode.workspace.textDocuments.forEach(startFor);
  context.subscriptions.push(vscode.workspace.onDidOpenTextDocument(startFor));
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

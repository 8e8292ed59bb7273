// The language client: starts, stops and restarts the server and passes on what is our own in its protocol.
import * as vscode from 'vscode';
import { ExecuteCommandRequest, LanguageClient, TransportKind } from 'vscode-languageclient/node';
import type { DynamicFeature, StaticFeature } from 'vscode-languageclient/node';
import { binary, sayHowToGetIt } from './binary';
import type { Effective, Status } from './protocol';

/** VS Code's client without the server's commands: its only one is the extension's, which shows more than a page. */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const isCommands = 'registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isCommands) super.registerFeature(feature);
  }
}

export class Server {
  private client: Client | undefined;
  private starting: Promise<void> | undefined;
  private readonly statusChanged = new vscode.EventEmitter<Status>();
  /** What a document is read as. */
  readonly onStatus = this.statusChanged.event;

  constructor(private readonly context: vscode.ExtensionContext) {
    context.subscriptions.push(
      this.statusChanged,
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('quantcfg.server.path')) void this.restart();
      }),
    );
  }

  /** Where the program is, or nothing. */
  program(): string | undefined {
    return binary(this.context.extensionPath);
  }

  start(): Promise<void> {
    this.starting ??= this.run();
    return this.starting;
  }

  async stop(): Promise<void> {
    await this.starting?.catch(() => {});
    const client = this.client;
    this.client = undefined;
    this.starting = undefined;
    await client?.dispose();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** The effective configuration, or nothing where the server has none to give. */
  async effective(uri: vscode.Uri): Promise<Effective | undefined> {
    await this.start();
    const answer = await this.client?.sendRequest<Effective | null>('quantcfg/effective', { uri: uri.toString() });
    return answer ?? undefined;
  }

  private async run(): Promise<void> {
    const command = this.program();
    if (!command) {
      void sayHowToGetIt();
      return;
    }
    const client = new Client(
      'quantcfg',
      'quantcfg',
      { command, args: ['lsp'], transport: TransportKind.stdio },
      {
        // Schemas are read from the editor, too.
        documentSelector: [{ language: 'quantcfg' }, { scheme: 'file', pattern: '**/*.proto' }],
        initializationOptions: vscode.workspace.getConfiguration('quantcfg'),
        synchronize: { configurationSection: 'quantcfg' },
      },
    );
    this.client = client;
    client.onNotification('quantcfg/status', (status: Status) => this.statusChanged.fire(status));
    await client.start();
  }
}

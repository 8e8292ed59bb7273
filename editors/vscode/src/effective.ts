// The effective configuration beside the file: a table that follows the text, and the text it.
import { randomBytes } from 'crypto';
import * as vscode from 'vscode';
import type { Server } from './client';
import type { Effective, FromPage, Labels, Place, Reason, ToPage } from './protocol';

/** The server answers faster; this only keeps a burst of keystrokes from redrawing the table each time. */
const QUIET_MS = 100;

export class EffectiveView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private effective: Effective | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((change) => this.isShown(change.document) && this.refreshSoon()),
      vscode.window.onDidChangeTextEditorSelection((change) => this.follow(change.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.switchTo(editor.document)),
      // Another dialect, or another layer list on disk.
      server.onStatus((status) => this.document?.uri.toString() === status.uri && this.refreshSoon()),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** From a code lens with its document, else for the editor in front. */
  async show(uri?: string | vscode.Uri): Promise<void> {
    const wanted = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
    const document = wanted
      ? await vscode.workspace.openTextDocument(wanted)
      : vscode.window.activeTextEditor?.document;
    if (!document) return;
    this.document = document;
    if (this.panel) this.panel.reveal(undefined, true);
    else this.open();
    await this.refresh();
  }

  private open(): void {
    const panel = vscode.window.createWebviewPanel(
      'quantcfg.effective',
      '',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [this.extension] },
    );
    this.panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'icon.png');
    panel.onDidDispose(() => (this.panel = undefined));
    panel.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.kind === 'ready') this.draw();
      else void this.reveal(message);
    });
    panel.webview.html = this.page(panel.webview);
  }

  private isShown(document: vscode.TextDocument): boolean {
    return this.panel !== undefined && document === this.document;
  }

  private switchTo(document: vscode.TextDocument): void {
    if (!this.panel || document.languageId !== 'quantcfg' || document === this.document) return;
    this.document = document;
    void this.refresh();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), QUIET_MS);
  }

  private async refresh(): Promise<void> {
    const { document } = this;
    if (!document || !this.panel) return;
    const effective = await this.server.effective(document.uri).catch(() => undefined);
    // The user may have gone on to another file meanwhile.
    if (document !== this.document) return;
    this.effective = effective;
    this.draw();
  }

  private draw(): void {
    if (!this.panel || !this.document) return;
    const name = vscode.workspace.asRelativePath(this.document.uri);
    this.panel.title = vscode.l10n.t('Effective: {0}', name);
    this.tell({ kind: 'show', effective: this.effective ?? null, labels: labels() });
    const editor = vscode.window.visibleTextEditors.find((editor) => editor.document === this.document);
    if (editor) this.follow(editor);
  }

  private tell(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  /** Marks the layers for which the line of the cursor counts. */
  private follow(editor: vscode.TextEditor): void {
    if (!this.isShown(editor.document)) return;
    const line = editor.selection.active.line + 1;
    const counts = ({ range }: Reason) => range !== null && range.start.line <= line && line <= range.end.line;
    const layers = (this.effective?.layers ?? []).flatMap((layer, index) => (layer.because.some(counts) ? [index] : []));
    this.tell({ kind: 'cursor', layers });
  }

  /** Selects what decided a layer; without a certain reason, the first one that has a place. */
  private async reveal({ layer, reason }: FromPage): Promise<void> {
    const { document } = this;
    const because = this.effective?.layers[layer ?? -1]?.because ?? [];
    const range = (reason === undefined ? because.find((reason) => reason.range) : because[reason])?.range;
    if (!document || !range) return;
    const column = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
    const selection = new vscode.Range(position(document, range.start), position(document, range.end));
    const editor = await vscode.window.showTextDocument(document, { selection, viewColumn: column ?? vscode.ViewColumn.One });
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString('base64');
    const file = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, ...parts)).toString();
    return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${file('media', 'table.css')}">
</head>
<body>
<div id="bar"><input id="filter" type="search"><select id="state"></select><span id="count"></span></div>
<div id="notes"></div>
<table><thead><tr id="head"></tr></thead><tbody id="rows"></tbody></table>
<script nonce="${nonce}" src="${file('dist', 'table.js')}"></script>
</body>
</html>`;
  }
}

/** The server counts columns in code points, the editor in UTF-16 units. */
function position(document: vscode.TextDocument, place: Place): vscode.Position {
  const line = Math.min(place.line, document.lineCount) - 1;
  const before = Array.from(document.lineAt(line).text).slice(0, place.column - 1).join('');
  return new vscode.Position(line, before.length);
}

function labels(): Labels {
  const { t } = vscode.l10n;
  return {
    columns: [t('Layer'), t('Type'), t('State'), t('Decided by'), t('Values'), t('Because')],
    states: { on: t('on'), overridden: t('on (skip without effect)'), off: t('off') },
    filter: t('Filter: all words must occur'),
    all: t('all states'),
    none: t('There is no effective configuration: the dialect has no engine, or a layer list is missing.'),
    refused: t('AMCT refuses this file'),
    warnings: t('AMCT warns'),
  };
}

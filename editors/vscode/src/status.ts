// The status item: as what the file in front is read, with which layers, and a way to change both.
import { execFile } from 'child_process';
import * as path from 'path';
import { promisify } from 'util';
import * as vscode from 'vscode';
import type { Server } from './client';
import { headerEdit, type HeaderKey } from './header';
import type { Status } from './protocol';

const LAYER_FILES = '**/*.{layers.json,mindir,ckpt,onnx}';
const MOST_LAYER_FILES = 50;

type Choice = vscode.QuickPickItem & { header?: HeaderKey; value?: string; browse?: boolean };

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('quantcfg', vscode.StatusBarAlignment.Right, 100);
  private readonly known = new Map<string, Status>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = 'quantcfg';
    this.item.command = 'quantcfg.switchReading';
    this.subscriptions = [
      this.item,
      server.onStatus((status) => {
        this.known.set(vscode.Uri.parse(status.uri).toString(), status);
        this.update();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      vscode.workspace.onDidCloseTextDocument((document) => this.known.delete(document.uri.toString())),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Says nothing where nothing is known. */
  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const status = document?.languageId === 'quantcfg' && this.known.get(document.uri.toString());
    if (!status) {
      this.item.hide();
      return;
    }
    const { schema, entry, why, layers } = status;
    const name = schema ?? vscode.l10n.t('no dialect');
    const list = layers ? `${path.basename(layers.path)} (${layers.count})` : vscode.l10n.t('no layer list');
    this.item.text = `$(layers) ${entry ? `${name}/${entry}` : name} · ${list}`;
    const incomplete = layers && !layers.complete ? vscode.l10n.t('The list may lack layers.') : undefined;
    this.item.tooltip = [why, layers?.path, incomplete, vscode.l10n.t('Click to choose another dialect or layer list.')]
      .filter(Boolean)
      .join('\n');
    this.item.show();
  }

  /** Lets the user choose and writes the choice into the file, where it holds for the command line, too. */
  async choose(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'quantcfg') return;
    const status = this.known.get(editor.document.uri.toString());
    const chosen = await vscode.window.showQuickPick(this.choices(editor.document, status), {
      placeHolder: status?.why ?? vscode.l10n.t('Dialect or layer list of this file'),
    });
    if (!chosen?.header) return;
    const value = chosen.browse ? await browse(editor.document) : chosen.value;
    if (value) await writeHeader(editor, chosen.header, value);
  }

  private async choices(document: vscode.TextDocument, status: Status | undefined): Promise<Choice[]> {
    const [dialects, files] = await Promise.all([
      this.dialects(),
      vscode.workspace.findFiles(LAYER_FILES, undefined, MOST_LAYER_FILES),
    ]);
    const mark = (now: boolean) => (now ? vscode.l10n.t('now') : undefined);
    const separator = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
    return [
      separator(vscode.l10n.t('Dialect')),
      ...dialects.map((name): Choice => ({
        label: name,
        description: mark(name === status?.schema),
        header: 'quantcfg-schema',
        value: name,
      })),
      separator(vscode.l10n.t('Layer list')),
      ...files.map((file): Choice => {
        const value = relative(document, file);
        return {
          label: value,
          description: mark(file.fsPath === status?.layers?.path),
          header: 'quantcfg-layers',
          value,
        };
      }),
      { label: vscode.l10n.t('Another file…'), header: 'quantcfg-layers', browse: true },
    ];
  }

  /** The program's own list, so that there is no second one. */
  private async dialects(): Promise<string[]> {
    const program = this.server.program();
    if (!program) return [];
    try {
      const { stdout } = await promisify(execFile)(program, ['schema', 'list']);
      return stdout.split('\n').map((line) => line.split(/\s/)[0]).filter(Boolean);
    } catch {
      return [];
    }
  }
}

function relative(document: vscode.TextDocument, file: vscode.Uri): string {
  return path.relative(path.dirname(document.uri.fsPath), file.fsPath).split(path.sep).join('/');
}

async function browse(document: vscode.TextDocument): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    filters: { [vscode.l10n.t('Layer list or model')]: ['json', 'txt', 'ckpt', 'mindir', 'onnx'] },
  });
  return files?.[0] && relative(document, files[0]);
}

async function writeHeader(editor: vscode.TextEditor, key: HeaderKey, value: string): Promise<void> {
  const { document } = editor;
  const lines = function* () {
    for (let line = 0; line < document.lineCount; line += 1) yield document.lineAt(line).text;
  };
  const edit = headerEdit(lines(), key, value);
  await editor.edit((builder) => {
    if (edit.replace) builder.replace(document.lineAt(edit.line).range, edit.text);
    else builder.insert(new vscode.Position(edit.line, 0), `${edit.text}\n`);
  });
}

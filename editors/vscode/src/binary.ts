// Finds the program `quantcfg`: the setting, the one that came with the extension, the PATH.
import * as fs from 'fs';
import * as path from 'path';
import * as vscode from 'vscode';

const NAME = process.platform === 'win32' ? 'quantcfg.exe' : 'quantcfg';
const HOW = 'https://doc.rust-lang.org/cargo/getting-started/installation.html';

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A path that was set counts even if nothing is there: another program than the wanted one would only confuse. */
export function binary(extension: string): string | undefined {
  const set = wanted();
  if (set) return isProgram(set) ? set : undefined;
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [path.join(extension, 'server'), ...folders].map((folder) => path.join(folder, NAME)).find(isProgram);
}

function wanted(): string {
  const set = vscode.workspace.getConfiguration('quantcfg').get<string>('server.path', '').trim();
  return set.startsWith('~/') ? path.join(process.env.HOME ?? '', set.slice(2)) : set;
}

export async function sayHowToGetIt(): Promise<void> {
  const set = wanted();
  const problem = set
    ? vscode.l10n.t('quantcfg.server.path names no program: {0}', set)
    : vscode.l10n.t('The program `quantcfg` is neither part of this extension nor on the PATH.');
  const cure = vscode.l10n.t('Install it with `cargo install --path .` in a clone of the repository, or set its path.');
  const settings = vscode.l10n.t('Set Path');
  const rust = vscode.l10n.t('Get Cargo');
  const chosen = await vscode.window.showErrorMessage(`${problem} ${cure}`, settings, rust);
  if (chosen === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'quantcfg.server.path');
  } else if (chosen === rust) {
    await vscode.env.openExternal(vscode.Uri.parse(HOW));
  }
}

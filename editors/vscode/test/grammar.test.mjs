// Every token has a scope, and in a good file none is marked as illegal. QUANTCFG_CORPUS names a folder of further files.
import assert from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';

const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');
const here = (name) => new URL(name, import.meta.url).pathname;

await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
const file = here('../syntaxes/quantcfg.tmLanguage.json');
const registry = new Registry({
  onigLib: {
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  },
  loadGrammar: async () => parseRawGrammar(readFileSync(file, 'utf8'), file),
});
const grammar = await registry.loadGrammar('source.quantcfg');

/** The tokens that are not white space, each with its innermost scope. */
function tokens(text) {
  let stack = INITIAL;
  return text.split(/\r\n|\r|\n/).flatMap((line, number) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return result.tokens
      .map(({ startIndex, endIndex, scopes }) => ({ number, text: line.slice(startIndex, endIndex), scope: scopes.at(-1) }))
      .filter(({ text }) => text.trim() !== '');
  });
}

const check = (text, expected) =>
  test(text, () => {
    const seen = tokens(text).map(({ text, scope }) => `${text.trim()} ${scope.replace('.quantcfg', '')}`);
    assert.deepEqual(seen, expected);
  });

check('skip_layers: "a\\n" # why', [
  'skip_layers variable.other.property',
  ': punctuation.separator.key-value',
  '" string.quoted.double',
  'a string.quoted.double',
  '\\n constant.character.escape',
  '" string.quoted.double',
  '# punctuation.definition.comment',
  'why comment.line.number-sign',
]);
check('# quantcfg-schema: pytorch-ptq', [
  '# punctuation.definition.comment',
  'quantcfg-schema keyword.control.directive',
  ': punctuation.separator.key-value',
  'pytorch-ptq string.unquoted',
]);
check('a { b: [-1.5e3, .5, 0x1F] c < d: inf > }', [
  'a entity.name.type.block',
  '{ punctuation.section.block.begin',
  'b variable.other.property',
  ': punctuation.separator.key-value',
  '[ punctuation.definition.list.begin',
  '-1.5e3 constant.numeric',
  ', punctuation.separator',
  '.5 constant.numeric',
  ', punctuation.separator',
  '0x1F constant.numeric.hex',
  '] punctuation.definition.list.end',
  'c entity.name.type.block',
  '< punctuation.section.block.begin',
  'd variable.other.property',
  ': punctuation.separator.key-value',
  'inf constant.numeric',
  '> punctuation.section.block.end',
  '} punctuation.section.block.end',
]);
check('data_type: INT4 on: True', [
  'data_type variable.other.property',
  ': punctuation.separator.key-value',
  'INT4 constant.other.enum',
  'on variable.other.property',
  ': punctuation.separator.key-value',
  'True constant.language.boolean',
]);
check('} %', ['} invalid.illegal.unbalanced', '% invalid.illegal']);

/** Files that may hold mistakes: there only a token without a scope is a failure. */
const corpus = process.env.QUANTCFG_CORPUS;
const checkFiles = (folder, isWrong) => {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.cfg'))) {
    test(name, () => {
      const text = readFileSync(path.join(folder, name), 'utf8');
      assert.deepEqual(tokens(text).filter(({ scope }) => isWrong(scope)), []);
    });
  }
};
const isBare = (scope) => scope === 'source.quantcfg';
checkFiles(here('../../../tests/data/sample'), (scope) => isBare(scope) || scope.startsWith('invalid'));
if (corpus) checkFiles(corpus, isBare);

// Where a header goes.
import assert from 'node:assert';
import test from 'node:test';
import { build } from 'esbuild';

const bundle = await build({ entryPoints: [new URL('../src/header.ts', import.meta.url).pathname], format: 'esm', write: false });
const { headerEdit } = await import(`data:text/javascript,${encodeURIComponent(bundle.outputFiles[0].text)}`);

const check = (text, expected) => {
  const edit = headerEdit(text.split('\n'), 'quantcfg-schema', 'pytorch-ptq');
  assert.equal(edit.text, '# quantcfg-schema: pytorch-ptq');
  assert.deepEqual([edit.line, edit.replace], expected);
};

test('a new header is the first line', () => check('# about\nbatch_num: 1', [0, false]));
test('an empty file gets one', () => check('', [0, false]));
test('the header that counts is replaced', () => check('# a\n\n## quantcfg-schema : x\n# quantcfg-schema: y', [2, true]));
test('a header without a value does not count', () => check('# quantcfg-schema:\n# quantcfg-schema: y', [1, true]));
test('nor does one after the first token', () => check('batch_num: 1\n# quantcfg-schema: y', [0, false]));
test('nor one of another key', () => check('# quantcfg-layers: y\n', [0, false]));
test('a byte order mark is no token', () => check('\uFEFF# quantcfg-schema: y\n', [0, true]));

// The headers in the first comments of a file (`# quantcfg-schema: NAME`). Pure text, so that it can be tested alone.

export type HeaderKey = 'quantcfg-schema' | 'quantcfg-layers';

/** Where a header goes: in place of the one that counts, which is the first, or as a new first line. */
export interface HeaderEdit {
  line: number;
  replace: boolean;
  text: string;
}

export function headerEdit(lines: Iterable<string>, key: HeaderKey, value: string): HeaderEdit {
  const text = `# ${key}: ${value}`;
  let number = 0;
  for (const line of lines) {
    const bare = line.replace(/^\uFEFF/, '').trim();
    // Headers count only before the first token.
    if (bare !== '' && !bare.startsWith('#')) break;
    const colon = bare.indexOf(':');
    const isHeader = colon >= 0 && bare.slice(0, colon).replace(/^#+/, '').trim() === key;
    if (isHeader && bare.slice(colon + 1).trim() !== '') return { line: number, replace: true, text };
    number += 1;
  }
  return { line: 0, replace: false, text };
}

// Blocks of code in the documents that readers copy from. Tests take a block by its first words and run it as it stands;
// scripts/doc-blocks.test.ts reads which blocks tests take, and fails where one is left.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stack/folders.ts';

export type DocBlock = { document: string; line: number; language: string; code: string };

export const documentsWithBlocks = (): string[] => [
  'README.md',
  // What npm shows of a package.
  ...globSync('{packages,apps}/*/README.md', { cwd: root }).toSorted(),
  ...globSync('docs/{start,guides,operate}/*.md', { cwd: root }).toSorted(),
];

export function readBlocks(document: string): DocBlock[] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    document,
    line: text.slice(0, index).split('\n').length,
    language,
    code,
  }));
}

/** The one block that begins with these words. Both arguments are written out where it is called: they are read there. */
export function docBlock(document: string, begin: string): DocBlock {
  const found = readBlocks(document).filter(({ code }) => code.startsWith(begin));
  const [block] = found;
  if (!block || found.length > 1) throw new Error(`${found.length} blocks of ${document} begin with ${begin}`);
  return block;
}

/** Every block of a language, all of which the test has to run. */
export const docBlocks = (document: string, language: string): DocBlock[] =>
  readBlocks(document).filter((block) => block.language === language);

/** The commands of a block, one a line; lines that go on are joined. */
export const commandsOf = ({ code }: DocBlock): string[] => code.replaceAll('\\\n', '').trim().split('\n');

// Runs programs of the documents as a reader would: the block as it stands in a module of its own, with what a reader has by
// then before it and a look at what it made after it. Only addresses and keys are replaced.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocBlock } from './doc-blocks.ts';
import { root } from './stack/folders.ts';

export type Program = {
  /** In order; each sees what those before it made. */
  blocks: DocBlock[];
  /** What a reader has by then. */
  before?: string;
  after?: string;
  /** It goes on for ever, and is ended when it has printed this. */
  until?: RegExp;
};

const sdkNames = ['createClient', 'createLogin', 'isApiError', 'readEvidence', 'runTask', 'takeOver'];
const isImport = (line: string) => line.startsWith('import ');

/** Imports come first in a module; each block is in a scope of its own, inside that of the one before. */
function asModule({ blocks, before = '', after = '' }: Program): string {
  const lines = blocks.map(({ code }) => code.split('\n'));
  const imported = lines.flat().filter(isImport).join('\n');
  const missing = sdkNames.filter((name) => !imported.includes(name));
  const bodies = lines.map((block) => block.filter((line) => !isImport(line)).join('\n'));
  return `import { ${missing.join(', ')} } from '@pilothouse/sdk';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
${imported}
const baseUrl = process.env.PILOTHOUSE_URL;
const client = createClient({ baseUrl, token: () => process.env.PILOTHOUSE_API_KEY });
${before}
{
${bodies.join('\n{\n')}
${after}
${'}\n'.repeat(bodies.length)}`;
}

type Place = { env: NodeJS.ProcessEnv; addressed: (text: string) => string };

/** Below the repository, so that packages are found as in a workspace. */
export function openPrograms(name: string, { env, addressed }: Place) {
  const folder = join(root, '.dev', `${name}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  let count = 0;
  return {
    folder,
    /** What it printed. Throws with that if it failed. */
    async run(program: Program): Promise<string> {
      count += 1;
      const file = join(folder, `program-${count}.ts`);
      writeFileSync(file, addressed(asModule(program)));
      const child = spawn(process.execPath, [file], { cwd: folder, env, timeout: 120_000 });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (program.until?.test(said)) child.kill();
        });
      const [code] = await once(child, 'close');
      const isGood = program.until ? program.until.test(said) : code === 0;
      if (!isGood)
        throw new Error(`${program.blocks.map(({ document, line }) => `${document}:${line}`)}: ${code}\n${said}`);
      return said;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

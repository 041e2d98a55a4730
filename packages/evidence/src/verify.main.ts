// npm run bundle -- verify FILE [--key PUBLIC]: says whether a bundle of evidence is as it was signed. Exit code 0 if it is.

import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeVerdict, readPublicKey, verifyBundle } from './index.ts';

const usage = 'usage: npm run bundle -- verify FILE [--key PUBLIC], where PUBLIC is a key in base64 or a file with one';
const readAtOnce = 1024 * 1024;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { key: { type: 'string' } } });
  const [command, file, ...others] = positionals;
  if (command !== 'verify' || file === undefined || others.length > 0) throw new Error(usage);
  const verdict = await verifyBundle(createReadStream(file, { highWaterMark: readAtOnce }), { key: keyOf(values.key) });
  console.log(describeVerdict(verdict));
  return verdict.isWhole ? 0 : 1;
}

function keyOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const key = readPublicKey(given) ?? (existsSync(given) ? readPublicKey(readFileSync(given, 'utf8')) : undefined);
  if (key === undefined) throw new Error(`--key is no Ed25519 key in base64 or PEM, nor a file with one\n${usage}`);
  return key;
}

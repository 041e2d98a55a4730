// evidence and verify.

import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { describeVerdict, readPublicKey, verifyBundle } from '@pilothouse/evidence';
import { CommandFailure } from '../connection/failure.ts';
import { connectionOf, type Run, show, text } from './context.ts';
import { findTask } from './find.ts';

const readAtOnce = 1024 * 1024;
/** A bundle with many pictures takes its time. */
const savedWithinMs = 900_000;

export const evidence: Run = async (context) => {
  const { client } = connectionOf(context);
  const id = await findTask(client, context.args[0]);
  const file = text(context.values, 'output') ?? `evidence-${id}.ndjson`;
  if (existsSync(file))
    throw new CommandFailure(`${file} is there already`, { exit: 'usage', hint: 'Name another with --output.' });
  const { body } = await client.getTaskEvidence({ id }, { timeoutMs: savedWithinMs });
  try {
    // The two declarations of the same class differ.
    await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  show(context, { file }, () => [`Saved as ${file}. Verify it with \`pilothouse verify ${file}\`.`]);
  return 'done';
};

export const verify: Run = async (context) => {
  const [file = ''] = context.args;
  if (!existsSync(file)) throw new CommandFailure(`there is no file ${file}`, { exit: 'usage' });
  const key = keyOf(text(context.values, 'key'));
  const verdict = await verifyBundle(createReadStream(file, { highWaterMark: readAtOnce }), { key });
  show(context, verdict, () => [describeVerdict(verdict)]);
  return verdict.isWhole ? 'done' : 'failed';
};

function keyOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const key = readPublicKey(given) ?? (existsSync(given) ? readPublicKey(readFileSync(given, 'utf8')) : undefined);
  if (key === undefined)
    throw new CommandFailure('--key is no Ed25519 key in base64 or PEM, nor a file with one', { exit: 'usage' });
  return key;
}

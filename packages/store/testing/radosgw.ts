// A second S3 server for one test: Ceph's gateway, which scripts/radosgw unpacks. It needs no cluster, because it keeps its objects in
// SQLite (its `dbstore`). It takes only requests that its one user signed.
//
// Its `dbstore` keeps the first 1024 bytes of an object as one piece and the rest as another, which has two faults. It answers a range with
// every piece that the range touches, from the first byte of the piece on, and says the length that was asked for: many ranges come with
// wrong bytes, and what is too much spoils the connection for the next answer. And it replaces the pieces one after the other.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../../testkit/stack/ports.ts';
import type { Bucket } from '../src/blobs/s3-requests.ts';
import type { S3ForTest } from './s3.ts';

/** The first piece of an object, in bytes. */
export const firstPieceBytes = 1024;

const startMs = 30_000;
const region = 'us-east-1';
const unpacked = join(import.meta.dirname, '../../../.tools/radosgw');

/** Why tests with it cannot run here; false if they can. */
export const withoutRadosgw = (): string | false =>
  existsSync(join(unpacked, 'radosgw')) ? false : 'there is no radosgw here: run scripts/radosgw';

/** Programs of another release of Debian, with its loader and its libraries. */
const callOf = (program: 'radosgw' | 'radosgw-admin', args: string[]): [string, string[]] => [
  join(unpacked, 'loader'),
  ['--library-path', join(unpacked, 'lib'), join(unpacked, program), ...args],
];

export async function startRadosgw(): Promise<S3ForTest> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-radosgw-'));
  let child: ChildProcess | undefined;
  // Also where the test that started it ends without saying so.
  const end = () => child?.kill('SIGKILL');
  process.on('exit', end);
  const close = async () => {
    process.off('exit', end);
    const isRunning = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const ended = isRunning && child ? once(child, 'exit') : undefined;
    end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = await writeSettings(folder, port);
    const credentials = await createUser(settings);
    child = spawn(...callOf('radosgw', ['-d', '--conf', settings]), { stdio: ['ignore', 'ignore', 'pipe'], env: {} });
    await untilItAnswers(child, url);
    let buckets = 0;
    return {
      url,
      async newBucket() {
        buckets += 1;
        const given = { region, endpoint: url, credentials };
        const bucket = { bucket: `bucket-${buckets}`, prefix: 'blobs/of-this', isPathStyle: true, ...given };
        await createBucket(bucket);
        return bucket;
      },
      freeze: () => child?.kill('SIGSTOP'),
      thaw: () => child?.kill('SIGCONT'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Everything that it writes lies in this folder. */
async function writeSettings(folder: string, port: number): Promise<string> {
  const file = join(folder, 'ceph.conf');
  const settings = {
    'no mon config': true,
    'rgw backend store': 'dbstore',
    'dbstore db dir': folder,
    'rgw config store': 'dbstore',
    'dbstore config uri': `file:${join(folder, 'config.db')}`,
    'rgw data': folder,
    'run dir': folder,
    'crash dir': folder,
    'admin socket': '',
    'rgw frontends': `beast endpoint=127.0.0.1:${port}`,
    'rgw thread pool size': 16,
    // Small pages, so that a few objects fill several.
    'rgw max listing results': 4,
    'debug rgw': 0,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(file, `[global]\n${lines.join('')}`, { mode: 0o600 });
  return file;
}

/** Its database is a file, so this is done before it starts. */
async function createUser(settings: string): Promise<{ accessKeyId: string; secretAccessKey: string }> {
  const accessKeyId = randomBytes(10).toString('hex');
  const secretAccessKey = randomBytes(30).toString('base64');
  const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
  const user = ['user', 'create', '--uid', 'tester', '--display-name', 'tester', ...keys];
  const child = spawn(...callOf('radosgw-admin', ['--conf', settings, ...user]), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
    timeout: startMs,
    killSignal: 'SIGKILL',
  });
  const said = { stdout: '', stderr: '' };
  child.stderr.on('data', (bytes) => {
    said.stderr += bytes;
  });
  child.stdout.on('data', (bytes) => {
    said.stdout += bytes;
    // It prints the user when it has stored it, and then waits for one of its own threads, at times for hours.
    if (isWhole(said.stdout)) child.kill('SIGKILL');
  });
  await once(child, 'close');
  if (!isWhole(said.stdout)) throw new Error(`radosgw-admin made no user: ${said.stderr}`);
  return { accessKeyId, secretAccessKey };
}

function isWhole(json: string): boolean {
  try {
    return JSON.parse(json) !== undefined;
  } catch {
    return false;
  }
}

async function untilItAnswers(child: ChildProcess, url: string): Promise<void> {
  let said = '';
  let failure: Error | undefined;
  // It logs each request, which is read and dropped.
  child.stderr?.on('data', (bytes) => {
    if (said.length < 5000) said += bytes;
  });
  child.once('error', (error) => {
    failure = error;
  });
  const end = performance.now() + startMs;
  for (;;) {
    const signal = AbortSignal.timeout(2000);
    const isThere = await fetch(url, { signal }).then(
      async (answer) => (await answer.text()) !== undefined && answer.ok,
      () => false,
    );
    if (isThere) return;
    if (failure || child.exitCode !== null || child.signalCode !== null || performance.now() > end)
      throw new Error(`radosgw did not start: ${said}`, { cause: failure });
    await sleep(50);
  }
}

async function createBucket({ bucket: Bucket, isPathStyle: forcePathStyle, ...given }: Bucket): Promise<void> {
  const client = new S3Client({ ...given, forcePathStyle });
  try {
    await client.send(new CreateBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(startMs) });
  } finally {
    client.destroy();
  }
}

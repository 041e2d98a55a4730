// A real S3 server for one test, on a port of its own: moto, which scripts/s3-server installs.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bucket } from '../src/blobs/s3-requests.ts';

export type S3ForTest = {
  url: string;
  /** A new bucket, and how it is reached. */
  newBucket(): Promise<Bucket>;
  /** Stops it from answering while its connections look alive. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

const startMs = 30_000;
const python = '/usr/bin/python3';
const own = join(import.meta.dirname, '../../../.tools/moto/usr/lib/python3/dist-packages');
const region = 'us-east-1';

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, ...(existsSync(own) && { PYTHONPATH: own }) };
}

/** Why tests with it cannot run here; false if they can. */
export function withoutS3(): string | false {
  const { status } = spawnSync(python, ['-c', 'import moto.server, flask_cors'], { env: environment() });
  return status === 0 ? false : 'there is no S3 server here: run scripts/s3-server';
}

/** With `isGuarded` it knows one user, and refuses every request that this user has not signed. */
export async function startS3({ isGuarded = false }: { isGuarded?: boolean } = {}): Promise<S3ForTest> {
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    // Small pages, so that a few objects fill several.
    env: { ...environment(), MOTO_S3_DEFAULT_MAX_KEYS: '4', ...(isGuarded && { INITIAL_NO_AUTH_ACTION_COUNT: '4' }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Also where the test that started it ends without saying so.
  const end = () => child.kill('SIGKILL');
  process.on('exit', end);
  const url = await addressOf(child);
  const guarded = isGuarded ? await setUser(url) : undefined;
  let buckets = 0;

  return {
    url,
    async newBucket() {
      buckets += 1;
      const bucket = guarded?.bucket ?? `bucket-${buckets}`;
      if (!guarded) await ask(url, { method: 'PUT', path: `/${bucket}` });
      const credentials = guarded?.credentials ?? { accessKeyId: 'anybody', secretAccessKey: 'anything' };
      return { bucket, prefix: 'blobs/of-this', region, endpoint: url, isPathStyle: true, credentials };
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async close() {
      process.off('exit', end);
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      end();
      await ended;
    },
  };
}

/** It says where it listens, and then logs each request, which is read and dropped. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('moto has no output');
  const lines = createInterface({ input: child.stderr });
  const said: string[] = [];
  return new Promise<string>((resolve, reject) => {
    const fail = () => {
      child.kill('SIGKILL');
      reject(new Error(`moto did not start: ${said.join(' ')}`));
    };
    const timer = setTimeout(fail, startMs);
    child.once('exit', fail);
    lines.on('line', (line) => {
      if (said.length < 20) said.push(line);
      const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (!url) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(url);
    });
  });
}

/** One user who may do anything, one key of theirs, and a bucket: the four calls that it takes from anybody. */
async function setUser(url: string) {
  const iam = (fields: Record<string, string>) =>
    ask(url, {
      method: 'POST',
      path: '/',
      service: 'iam',
      body: new URLSearchParams({ Version: '2010-05-08', ...fields }),
    });
  await iam({ Action: 'CreateUser', UserName: 'tester' });
  const made = await iam({ Action: 'CreateAccessKey', UserName: 'tester' });
  const statement = { Effect: 'Allow', Action: '*', Resource: '*' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await iam({ Action: 'PutUserPolicy', UserName: 'tester', PolicyName: 'all', PolicyDocument });
  await ask(url, { method: 'PUT', path: '/guarded' });
  const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(made)?.[1] ?? '';
  const credentials = { accessKeyId: field('AccessKeyId'), secretAccessKey: field('SecretAccessKey') };
  return { bucket: 'guarded', credentials };
}

type Asked = { method: string; path: string; service?: string; body?: URLSearchParams };

async function ask(url: string, { method, path, service = 's3', body }: Asked): Promise<string> {
  // It finds the service by what was signed, and does not look at the signature.
  const scope = `nobody/20260101/${region}/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const answer = await fetch(url + path, {
    method,
    body,
    headers: { authorization },
    signal: AbortSignal.timeout(startMs),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto answered ${answer.status}: ${text}`);
  return text;
}

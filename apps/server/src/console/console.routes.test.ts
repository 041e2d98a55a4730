import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Log } from '@pilothouse/process';
import Fastify, { type FastifyInstance } from 'fastify';
import { sendProblem } from '../http/problem.ts';
import { serveConsole } from './console.routes.ts';

const html =
  '<html><script nonce="__NONCE__">1</script><script nonce="__NONCE__" src="/assets/a-1.js"></script></html>';
const script = 'export const one = 1;'.repeat(200);

describe('the console', () => {
  let folder: string;
  let app: FastifyInstance;
  const warnings: unknown[] = [];
  const log = { warn: (...given: unknown[]) => warnings.push(given) } as unknown as Log;
  const open = async (from: string) => {
    const opened = Fastify();
    opened.setErrorHandler(sendProblem);
    opened.setNotFoundHandler((request, reply) => sendProblem({ statusCode: 404 }, request, reply));
    await serveConsole(opened, { folder: from, log });
    return opened;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-'));
    await mkdir(join(folder, 'assets'));
    await mkdir(join(folder, '.vite'));
    await writeFile(join(folder, 'index.html'), html);
    await writeFile(join(folder, '.vite/manifest.json'), '{}');
    await writeFile(join(folder, 'assets/a-1.js'), script);
    await writeFile(join(folder, 'assets/b-2.woff2'), 'font');
    app = await open(folder);
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('is one page at all its addresses, with a nonce of its own in every answer', async () => {
    const nonces = new Set<string>();
    for (const url of [
      '/',
      '/login',
      '/sessions?x=1',
      '/sessions/01890000-0000-7000-8000-000000000001',
      '/inbox/x',
      '/admin/users',
    ]) {
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, 200, url);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.equal(answer.headers['cache-control'], 'no-cache');
      assert.equal(answer.headers.etag, undefined, 'a repeated answer would have the nonce of another');
      const policy = String(answer.headers['content-security-policy']);
      const [, nonce = ''] = /script-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
      assert.match(policy, /^default-src 'self'; .*frame-ancestors 'none'$/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(answer.body, html.replaceAll('__NONCE__', nonce));
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 6);
  });

  it('answers for no other address', async () => {
    const others = [
      '/api',
      '/api/nothing',
      '/nothing',
      '/index.html',
      '/.vite/manifest.json',
      '/assets/',
      '/assets/none.js',
    ];
    const upwards = [
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/index.html',
      '/assets/constructor',
    ];
    for (const url of [...others, ...upwards]) {
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, 404, url);
      assert.equal(answer.json().code, 'not_found', url);
    }
  });

  it('sends files that are kept for ever, and text packed for who takes it', async () => {
    const packed = await app.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': 'gzip, br' } });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(packed.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(packed.headers.vary, 'accept-encoding');
    assert.match(String(packed.headers['content-type']), /^text\/javascript/);
    assert.ok(packed.rawPayload.length < script.length / 2);
    assert.equal(gunzipSync(packed.rawPayload).toString(), script);

    const plain = await app.inject({ url: '/assets/a-1.js' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.body, script);

    const font = await app.inject({ url: '/assets/b-2.woff2', headers: { 'accept-encoding': 'gzip' } });
    assert.equal(font.headers['content-encoding'], undefined);
    assert.equal(font.headers['content-type'], 'font/woff2');
  });

  it('goes on as it was when the folder is emptied under it', async () => {
    await rm(join(folder, 'assets/b-2.woff2'));
    assert.equal((await app.inject({ url: '/assets/b-2.woff2' })).statusCode, 200);
  });

  it('says plainly that it was not built, in the log and at its addresses', async () => {
    assert.deepEqual(warnings, []);
    const bare = await open(join(folder, 'nowhere'));
    assert.match(JSON.stringify(warnings), /not built.*npm run build/);
    const answer = await bare.inject({ url: '/sessions' });
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /npm run build/);
    assert.equal((await bare.inject({ url: '/assets/a-1.js' })).statusCode, 404);
    await bare.close();
  });
});

// Serves one thin page, to see a script run. Its sources, the SDK and the contract go to the browser with their types
// stripped, so there is no build. At `/classic`, until the console at `/` shows everything that it shows.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@pilothouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const contentTypes: Record<string, string> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

type ServedFile = { body: string; etag: string };

/** Serves `/classic` and the files it loads. Only files that were found at the start are served, whatever path is asked for. */
export async function servePage(app: FastifyInstance): Promise<void> {
  // Named here, and not only in the page, so that the search for unused code finds the script.
  const own = dirname(fileURLToPath(import.meta.resolve('./page.client.ts')));
  const { version } = createRequire(import.meta.url)('zod/package.json') as { version: string };
  const zod = `zod-${version}`;
  const files = new Map([
    ...(await listFiles('app', own, /^[^/]+\.client\.ts$|^page\.css$/)),
    ...(await listFiles('sdk', folderOf('@pilothouse/sdk'), /(?<!\.test)\.ts$/)),
    ...(await listFiles('contract', folderOf('@pilothouse/contract'), /(?<!\.test)\.ts$/)),
    ...(await listFiles(zod, folderOf('zod'), /^index\.js$|^v4\/(classic|core|locales)\/.*\.js$/)),
  ]);
  const imports = JSON.stringify({
    imports: {
      '@pilothouse/sdk': '/page/sdk/index.ts',
      '@pilothouse/contract': '/page/contract/index.ts',
      '@pilothouse/contract/wire': '/page/contract/wire/index.ts',
      zod: `/page/${zod}/index.js`,
    },
  });
  const html = toServed(
    (await readFile(join(own, 'page.html'), 'utf8')).replace('importmap">{}<', () => `importmap">${imports}<`),
  );
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'sha256-${createHash('sha256').update(imports).digest('base64')}'`,
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  app.get('/classic', { schema: { hide: true } }, (request, reply) => {
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return send(request, reply, html, { type: 'text/html; charset=utf-8', caching: 'no-cache' });
  });

  const loaded = new Map<string, Promise<ServedFile>>();
  app.get('/page/*', { schema: { hide: true } }, async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    const path = files.get(name);
    if (path === undefined) throw new AppError('not_found');
    const file = loaded.get(name) ?? load(path);
    loaded.set(name, file);
    // The path of zod names its version; ours change with the server.
    const caching = name.startsWith(`${zod}/`) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return send(request, reply, await file, { type: contentTypes[extname(path)] ?? '', caching });
  });
}

/** The served files under a folder, by the path of their requests. */
async function listFiles(root: string, folder: string, isServed: RegExp): Promise<[name: string, path: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, string] => [relative(folder, path).split(sep).join('/'), path])
    .filter(([name]) => isServed.test(name))
    .map(([name, path]) => [`${root}/${name}`, path]);
}

function folderOf(specifier: string): string {
  return dirname(fileURLToPath(import.meta.resolve(specifier)));
}

async function load(path: string): Promise<ServedFile> {
  const text = await readFile(path, 'utf8');
  return toServed(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text);
}

function toServed(body: string): ServedFile {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

type SendOptions = { type: string; caching: string };

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: ServedFile,
  { type, caching }: SendOptions,
) {
  reply.header('etag', etag).header('cache-control', caching);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(type).send(body);
}

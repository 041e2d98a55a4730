// Serves the console, which is built from apps/console: one page for all its addresses, and the files it loads.

import { randomBytes } from 'node:crypto';
import { AppError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BuiltConsole, type BuiltFile, readBuilt } from './built-files.ts';

/** The addresses of its pages. Everything else is not found: a wrong address of the API must never be answered by HTML. */
const pagePaths = [
  '/',
  '/login',
  '/register',
  '/inbox',
  '/inbox/:id',
  '/sessions',
  '/sessions/:id',
  '/share',
  '/admin',
  '/admin/:part',
  '/settings',
  '/settings/:part',
];

/** Stands in the built page wherever the nonce of an answer belongs. */
const nonceMark = '__NONCE__';

const notBuilt = `<!doctype html><html lang="en"><title>Pilothouse</title>
<p>The console is not built. Run <code>npm run build</code>, then start the server again. The API works: see
<a href="/docs">its documentation</a>.</p></html>`;

type Options = {
  /** Where the built console lies. */
  folder: string | undefined;
  log: Log;
};

/** Reads the files once, at the start. */
export async function serveConsole(app: FastifyInstance, { folder, log }: Options): Promise<void> {
  const built = folder === undefined ? undefined : await readBuilt(folder);
  if (folder !== undefined && !built)
    log.warn({ folder }, 'the console is not built: run `npm run build`, then start the server again');
  for (const path of pagePaths)
    app.get(path, { schema: { hide: true } }, (_, reply) => (built ? sendPage(reply, built) : sendNotBuilt(reply)));
  app.get('/assets/*', { schema: { hide: true } }, (request, reply) => {
    const file = built?.assets.get((request.params as { '*': string })['*']);
    if (!file) throw new AppError('not_found');
    return sendAsset(request, reply, file);
  });
}

/** Each answer has a nonce of its own, so that no script or style that is put into the page by others runs. */
function sendPage(reply: FastifyReply, { html }: BuiltConsole): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html.replaceAll(nonceMark, nonce));
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(notBuilt);
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): Promise<FastifyReply> {
  // The name holds a digest of the content, so that the same name is always the same file.
  reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
    .type(file.type);
  if (!file.gzipped) return reply.send(file.bytes);
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(await file.gzipped());
}

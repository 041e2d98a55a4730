// What a hostile program is after: a file and a folder of the machine, a server that only this machine may reach, and the page of
// another user; and how each of them tells that it was reached.

import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../testkit/listen.ts';

export type Prey = Awaited<ReturnType<typeof startPrey>>;

export async function startPrey() {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-canary-'));
  const [file, drop] = [join(folder, 'canary.txt'), join(folder, 'drop')];
  const token = `canary-${crypto.randomUUID()}`;
  const otherToken = `of-another-${crypto.randomUUID()}`;
  await mkdir(drop);
  await writeFile(file, token);
  // Open to every user of the machine: nothing but the filter stands before them.
  await Promise.all([chmod(folder, 0o755), chmod(file, 0o644), chmod(drop, 0o777)]);
  const hits: string[] = [];
  const canary = await listen(
    createServer((request, response) => {
      hits.push(request.url ?? '');
      response.end('reached');
    }),
  );
  const site = await listen(
    createServer((request, response) => {
      const isOther = request.url?.startsWith('/other');
      if (request.url === '/file') response.setHeader('content-disposition', 'attachment; filename="load.txt"');
      else response.setHeader('content-type', 'text/html');
      if (isOther) response.setHeader('set-cookie', `kept=${otherToken}; Max-Age=3600; HttpOnly`);
      response.end(isOther ? `<title>${otherToken}</title><h1>Other</h1>` : own);
    }),
  );
  return {
    file,
    drop,
    canaryUrl: canary.url,
    ownUrl: `${site.url}/`,
    otherUrl: `${site.url}/other?${otherToken}`,
    siteUrl: site.url,
    /** Words that no message to a hostile program may have. */
    secrets: { 'the file of the machine': token, 'the page of another user': otherToken },
    otherToken,
    /** What was reached. */
    async reached(): Promise<string[]> {
      const dropped = await readdir(drop);
      const kept = await readFile(file, 'utf8').catch(() => 'gone');
      const beside = (await readdir(folder)).filter((name) => !['canary.txt', 'drop'].includes(name));
      return [
        ...hits.map((path) => `the server of the machine: ${path}`),
        ...[...dropped, ...beside].map((name) => `written: ${name}`),
        ...(kept === token ? [] : ['the file was changed']),
      ];
    },
    async close(): Promise<void> {
      await Promise.all([canary.close(), site.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const own = `<!doctype html><title>Own</title><input type="file"><a href="/file" download>Load</a><p>text</p>`;

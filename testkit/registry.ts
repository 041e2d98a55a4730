// A registry of npm on loopback: archives of packages that were built here, and every package of others that this checkout has
// installed. Has nothing else, so an install from it needs no network.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { root } from './stack/folders.ts';

type Manifest = { name: string; version: string } & Record<string, unknown>;
/** One version of one package. A package of another platform is known and has no archive. */
type Entry = { manifest: Manifest; archive?: () => Promise<Buffer>; integrity?: string };

export type Registry = {
  url: string;
  /** Settings with which npm uses it and no other. */
  env: Record<string, string>;
  /** Names that were asked for and are not here. */
  unknown: string[];
  close(): Promise<void>;
};

/** The archives are read from this folder, as `npm pack` wrote them. */
export async function openRegistry(archives: string): Promise<Registry> {
  const entries = [
    ...installedHere(),
    ...(await Promise.all(globSync('*.tgz', { cwd: archives }).map((file) => packed(join(archives, file))))),
  ];
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry.test').pathname.slice(1));
    const [name = '', version] = path.split('/-/');
    const versions = entries.filter(({ manifest }) => manifest.name === name);
    if (versions.length === 0) unknown.push(name);
    if (version === undefined) return sendVersions(response, name, versions, addressOf());
    const archive = versions.find(({ manifest }) => manifest.version === version)?.archive;
    if (!archive) return void response.writeHead(404).end();
    archive().then(
      (bytes) => response.end(bytes),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, so the address is of this kind.
  const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: addressOf(),
    env: { npm_config_registry: `${addressOf()}/`, npm_config_update_notifier: 'false' },
    unknown,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendVersions(response: ServerResponse, name: string, entries: Entry[], url: string): void {
  if (entries.length === 0) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  const versions = entries.map(({ manifest, integrity }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${url}/${name}/-/${manifest.version}`, ...(integrity && { integrity }) } },
  ]);
  const latest = entries.at(-1)?.manifest.version;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
}

async function packed(file: string): Promise<Entry> {
  const bytes = readFileSync(file);
  const manifest = JSON.parse(String(await output('tar', ['-xzOf', file, 'package/package.json'])));
  return {
    manifest,
    archive: async () => bytes,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
}

/** Those of others, at every place where npm put one. */
function installedHere(): Entry[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = Object.entries<Record<string, unknown>>(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, locked]): [string, Entry] => {
      const name = String(locked.name ?? path.split('node_modules/').at(-1));
      const dir = join(root, path);
      if (!existsSync(join(dir, 'package.json')))
        return [`${name}@${locked.version}`, { manifest: { ...locked, name, version: String(locked.version) } }];
      const manifest: Manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
      return [`${name}@${manifest.version}`, { manifest, archive: () => archiveOf(dir) }];
    });
  // Several places may hold the same version.
  return [...new Map(found).values()];
}

/** Without what lies in it for itself alone: npm asks for that too. */
const archiveOf = (dir: string) =>
  output('tar', ['-cz', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', dir, '.']);

async function output(command: string, args: string[]): Promise<Buffer> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
    env: { ...process.env, GZIP: '-1' },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const bytes = await buffer(child.stdout);
  if ((await promise) !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
  return bytes;
}

// The files of the built console, held in memory: a new build under a running server takes nothing away from it.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
const isText = /^text\/|svg/;

/** A file of which the name holds a digest of its content. */
export type BuiltFile = {
  type: string;
  bytes: Buffer;
  /** Undefined where it would not be smaller by much: pictures and fonts. */
  gzipped: (() => Promise<Buffer>) | undefined;
};

export type BuiltConsole = { html: string; assets: ReadonlyMap<string, BuiltFile> };

/** Undefined if there is no built console in the folder. */
export async function readBuilt(folder: string): Promise<BuiltConsole | undefined> {
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (html === undefined) return undefined;
  const entries = await readdir(join(folder, 'assets'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const assets = await Promise.all(
    paths.map(
      async (path): Promise<[string, BuiltFile]> => [
        relative(join(folder, 'assets'), path).split(sep).join('/'),
        toFile(await readFile(path), contentTypes[extname(path)] ?? 'application/octet-stream'),
      ],
    ),
  );
  return { html, assets: new Map(assets) };
}

function toFile(bytes: Buffer, type: string): BuiltFile {
  let packed: Promise<Buffer> | undefined;
  const gzipped = () => {
    packed ??= promisify(gzip)(bytes, { level: 9 });
    return packed;
  };
  return { type, bytes, gzipped: isText.test(type) ? gzipped : undefined };
}

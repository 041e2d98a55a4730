// The reverse proxies of deploy/proxies for real: the very files, with names, ports and certificates of a test in place of the examples'.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeCertificate } from '../certificate.ts';
import { root } from '../stack/folders.ts';
import { freePort, isListening } from '../stack/ports.ts';
import { until } from '../until.ts';

/** What stands in the examples for what only the operator knows. */
const exampleName = 'pilothouse.example.com';
const exampleServers = ['10.0.0.11:4000', '10.0.0.12:4000'];

type Place = { dir: string; port: number; plainPort: number };
type Proxy = {
  program: string;
  /** Below deploy/. */
  file: string;
  /** What in the file is different here; each has to be in it. */
  changes: (place: Place) => [from: string, to: string][];
  /** Files beside the example, by their names. */
  beside?: (place: Place) => Record<string, string>;
  args: (place: Place) => string[];
};

/** With two servers, each in place of one of the examples. */
const proxies = {
  nginx: {
    program: '/usr/sbin/nginx',
    file: 'proxies/nginx.conf',
    changes: ({ dir, port, plainPort }) => [
      ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/ssl/pilothouse/fullchain.pem', join(dir, 'site.pem')],
      ['/etc/ssl/pilothouse/privkey.pem', join(dir, 'site.key')],
    ],
    beside: ({ dir }) => ({
      'main.conf': [
        'daemon off;',
        process.getuid?.() === 0 ? 'user root;' : '',
        `pid ${dir}/nginx.pid;`,
        'error_log stderr crit;',
        'events {}',
        `http { access_log off; ${temporary.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join(' ')} include ${dir}/nginx.conf; }`,
      ].join('\n'),
    }),
    args: ({ dir }) => ['-p', dir, '-c', join(dir, 'main.conf'), '-e', 'stderr'],
  },
  caddy: {
    program: '/usr/bin/caddy',
    file: 'proxies/Caddyfile',
    changes: ({ dir, port }) => [
      [
        'localhost {',
        `{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\tlevel ERROR\n\t}\n}\nhttps://localhost:${port} {
\tbind 127.0.0.1\n\ttls ${dir}/site.pem ${dir}/site.key`,
      ],
    ],
    args: ({ dir }) => ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')],
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    file: 'proxies/haproxy.cfg',
    changes: ({ dir, port, plainPort }) => [
      ['bind :80', `bind 127.0.0.1:${plainPort}`],
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/certs/pilothouse.pem', join(dir, 'both.pem')],
    ],
    args: ({ dir }) => ['-q', '-f', join(dir, 'haproxy.cfg')],
  },
} satisfies Record<string, Proxy>;
/** That of the compose file, which has one server. */
const composeProxy: Proxy = {
  program: '/usr/bin/caddy',
  file: 'Caddyfile',
  changes: ({ dir, port }) => [
    // Caddy 2.6 has no such option.
    ['\tpersist_config off\n', ''],
    ['\tadmin off\n', '\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\tlevel FATAL\n\t}\n'],
    ['{$SITE_ADDRESS} {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${dir}/site.pem ${dir}/site.key`],
  ],
  args: ({ dir }) => ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')],
};
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export type ProxyName = keyof typeof proxies;
export const proxyNames = Object.keys(proxies) as ProxyName[];

/** For tests: why they are skipped, or false. */
export const withoutProxy = (name: ProxyName) =>
  existsSync(proxies[name].program) ? false : `there is no ${proxies[name].program}: run scripts/edge-tools`;

const startMs = 20_000;
const stopMs = 10_000;

/** Starts it before two servers on these ports of loopback; `authority` is what its certificate is signed by. */
export const startProxy = (name: ProxyName, [first, second]: [number, number]) =>
  start(proxies[name], [
    [exampleName, 'localhost'],
    [exampleServers[0] ?? '', `127.0.0.1:${first}`],
    [exampleServers[1] ?? '', `127.0.0.1:${second}`],
  ]);

/** Starts the proxy of the compose file before a server. */
export const startComposeProxy = (port: number) => start(composeProxy, [['server:4000', `127.0.0.1:${port}`]]);

async function start(proxy: Proxy, servers: [from: string, to: string][]) {
  const file = basename(proxy.file);
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-proxy-'));
  const [port, plainPort] = await Promise.all([freePort(), freePort()]);
  const place = { dir, port, plainPort };
  const { key, cert, authority } = await makeCertificate('localhost');
  const changes = [...servers, ...proxy.changes(place)];
  const config = changes.reduce(replaceAll, readFileSync(join(root, 'deploy', proxy.file), 'utf8'));
  const keys = { 'site.key': key, 'site.pem': cert, 'both.pem': cert + key };
  const files = { [file]: config, ...keys, ...proxy.beside?.(place) };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text, { mode: 0o600 });
  const child = spawn(proxy.program, proxy.args(place), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
  });
  let hasEnded = false;
  const ended = once(child, 'exit').then(() => {
    hasEnded = true;
  });
  // Whoever is interrupted may end without closing.
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  async function close(): Promise<void> {
    process.off('exit', end);
    end();
    const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(late);
    await rm(dir, { recursive: true, force: true });
  }
  await until(async () => hasEnded || isListening(port), startMs)
    .then(() => {
      if (hasEnded) throw new Error(`${proxy.program} ended at once`);
    })
    .catch(async (error) => {
      await close();
      throw error;
    });
  return { url: `https://localhost:${port}`, plainUrl: `http://localhost:${plainPort}`, authority, close };
}
export type ProxyForTest = Awaited<ReturnType<typeof startProxy>>;

function replaceAll(text: string, [from, to]: [string, string]): string {
  if (!text.includes(from)) throw new Error(`the example has no "${from}" any more`);
  return text.replaceAll(from, to);
}

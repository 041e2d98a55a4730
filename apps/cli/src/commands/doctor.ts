// doctor: what works from here, what does not, and how to mend it. Changes nothing.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ApiError, type Client } from '@pilothouse/sdk';
import { type Connection, isSafe } from '../connection/connect.ts';
import { failureOf } from '../connection/failure.ts';
import { plain, type Terminal } from '../output/terminal.ts';
import { type Context, connectionOf, type Run, show } from './context.ts';

/** `note`: good to know, and nothing is missing for the command itself. */
type Finding = { name: string; state: 'good' | 'bad' | 'note'; what: string; hint?: string };

export const doctor: Run = async (context) => {
  const connection = connectionOf(context);
  const findings = [
    nodeVersion(process.versions.node),
    credentialsFile(context),
    ...(await serverFindings(connection, context.credentials.of(connection.url)?.username)),
    ...programFindings(process.env.PATH ?? ''),
  ];
  show(context, findings, () => findings.flatMap((finding) => linesOf(context.terminal, finding)));
  return findings.some(({ state }) => state === 'bad') ? 'failed' : 'done';
};

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = major > 22 || (major === 22 && minor >= 12);
  return {
    name: 'Node',
    state: isGood ? 'good' : 'bad',
    what: version,
    ...(!isGood && { hint: 'Install Node 22.12 or newer.' }),
  };
}

function credentialsFile({ credentials, config }: Context): Finding {
  const name = 'Credentials';
  if (config.apiKey) return { name, state: 'good', what: 'the key of PILOTHOUSE_API_KEY is used' };
  const isExposed = credentials.isExposed();
  if (isExposed === undefined) return { name, state: 'note', what: 'none are stored', hint: 'pilothouse login' };
  if (!isExposed) return { name, state: 'good', what: credentials.path };
  return { name, state: 'bad', what: `others can read ${credentials.path}`, hint: `chmod 600 ${credentials.path}` };
}

async function serverFindings(connection: Connection, username: string | undefined): Promise<Finding[]> {
  const { url, client } = connection;
  const begun = performance.now();
  try {
    await client.getHealth({}, { timeoutMs: 10_000 });
  } catch (error) {
    const what = `${url} was not reached: ${plain(failureOf(error)?.message ?? String(error))}`;
    return [
      { name: 'Server', state: 'bad', what, hint: 'Is it running there? Name another with --url or PILOTHOUSE_URL.' },
    ];
  }
  const tookMs = Math.round(performance.now() - begun);
  const found: Finding[] = [{ name: 'Server', state: 'good', what: `${url} answers in ${tookMs} ms` }];
  if (!isSafe(url))
    found.push({ name: 'Way', state: 'note', what: 'is not encrypted', hint: 'Put TLS before the server.' });
  return [...found, await ready(client), ...(await loginFindings(connection, username))];
}

async function ready(client: Client): Promise<Finding> {
  const name = 'Services';
  try {
    await client.getReady({}, { timeoutMs: 10_000 });
    return { name, state: 'good', what: 'PostgreSQL and NATS answer the server' };
  } catch (error) {
    const what = plain(failureOf(error)?.message ?? String(error));
    return { name, state: 'bad', what, hint: 'Look into the log of the server.' };
  }
}

async function loginFindings({ client, token }: Connection, username: string | undefined): Promise<Finding[]> {
  const name = 'Login';
  try {
    const { auth, caller } = await client.getCapabilities();
    if (auth === 'disabled') return [{ name, state: 'good', what: 'the server needs none' }];
    if (!caller) return [{ name, state: 'bad', what: 'not logged in', hint: 'pilothouse login' }];
    const { models } = caller;
    return [
      { name, state: 'good', what: username ? `as ${plain(username)}` : 'the server takes the key' },
      models.length > 0
        ? { name: 'Models', state: 'good', what: models.map(plain).join(', ') }
        : {
            name: 'Models',
            state: 'note',
            what: 'none: prompts have to be scripts',
            hint: 'The operator sets MODELS.',
          },
    ];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const what = token ? 'the server does not take the key' : 'not logged in';
    return [{ name, state: 'bad', what, hint: 'pilothouse login' }];
  }
}

/** What a server on this machine would need; a server elsewhere needs nothing of it. */
const programs: [name: string, files: string[], hint: string][] = [
  [
    'PostgreSQL',
    [
      'initdb',
      '/usr/lib/postgresql/17/bin/initdb',
      '/usr/lib/postgresql/16/bin/initdb',
      '/usr/lib/postgresql/15/bin/initdb',
    ],
    'PostgreSQL 15 or newer',
  ],
  ['NATS', ['nats-server', '/usr/sbin/nats-server'], 'nats-server 2.9 or newer'],
  ['Chromium', ['chromium-headless-shell', 'chromium', 'google-chrome'], 'Chromium, best its headless shell'],
];

function programFindings(path: string): Finding[] {
  const find = (file: string) =>
    file.startsWith('/')
      ? existsSync(file)
        ? file
        : undefined
      : path
          .split(delimiter)
          .map((dir) => join(dir, file))
          .find((one) => existsSync(one));
  return programs.map(([name, files, wanted]) => {
    const found = files.map(find).find(Boolean);
    if (found) return { name, state: 'good', what: found };
    return { name, state: 'note', what: 'not here', hint: `Only for a server on this machine: install ${wanted}.` };
  });
}

function linesOf({ paint }: Terminal, { name, state, what, hint }: Finding): string[] {
  const mark = { good: paint('green', '✓'), bad: paint('red', '✗'), note: paint('yellow', '•') }[state];
  return [`${mark} ${name.padEnd(12)} ${what}`, ...(hint ? [`  ${' '.repeat(12)} ${paint('dim', hint)}`] : [])];
}

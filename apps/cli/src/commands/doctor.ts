// doctor: what works from here, what does not, and how to mend it. Changes nothing.

import { ApiError, type Client } from '@pilothouse/sdk';
import { type Connection, isSafe } from '../connection/connect.ts';
import { CommandFailure, failureOf } from '../connection/failure.ts';
import { plain, type Terminal } from '../output/terminal.ts';
import { type Context, connectionOf, type Run, show } from './context.ts';
import { loadStack } from './here.ts';

/** `note`: good to know, and nothing is missing for the command itself. */
type Finding = { name: string; state: 'good' | 'bad' | 'note'; what: string; hint?: string };

export const doctor: Run = async (context) => {
  const connection = connectionOf(context);
  const findings = [
    nodeVersion(process.versions.node),
    credentialsFile(context),
    ...(await serverFindings(connection, context.credentials.of(connection.url)?.username)),
    ...(await machineFindings()),
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
      {
        name: 'Server',
        state: 'bad',
        what,
        hint: 'Is it running there? Name another with --url or PILOTHOUSE_URL, or start one with `pilothouse up`.',
      },
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

/** What `demo` and `up` need of this machine; a server elsewhere needs nothing of it. */
async function machineFindings(): Promise<Finding[]> {
  const stack = await loadStack().catch((error) => {
    if (error instanceof CommandFailure) return error;
    throw error;
  });
  if (stack instanceof CommandFailure)
    return [{ name: 'demo, up', state: 'note', what: stack.message, ...(stack.hint && { hint: stack.hint }) }];
  return stack.inspectMachine().map(({ name, what, isMissing, hint }) => ({
    name,
    state: isMissing ? 'note' : 'good',
    what,
    ...(hint && { hint: `For \`demo\` and \`up\`: ${hint}` }),
  }));
}

function linesOf({ paint }: Terminal, { name, state, what, hint }: Finding): string[] {
  const mark = { good: paint('green', '✓'), bad: paint('red', '✗'), note: paint('yellow', '•') }[state];
  return [`${mark} ${name.padEnd(12)} ${what}`, ...(hint ? [`  ${' '.repeat(12)} ${paint('dim', hint)}`] : [])];
}

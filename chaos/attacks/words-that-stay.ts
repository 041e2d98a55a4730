import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { root } from '../../testkit/stack/folders.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import type { Attack, AttackResult } from './attack.ts';

/** Looks for the passwords of scripts in every place but the prompt and the plan that their owner reads. */
export const wordsThatStay: Attack = {
  name: 'words-that-stay',
  what: 'a reader of lists, logs, streams, or of the database after a purge, looks for the password that a script typed',
  run: ({ stackName }) => withStack(stackName, lookForWords),
};

async function lookForWords(stack: Stack): Promise<AttackResult> {
  const site = await startLoginSite();
  try {
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [site.url] });
    const baseUrl = `http://127.0.0.1:${port}`;
    const [owner, admin] = [await logIn(baseUrl, 'owner'), await logIn(baseUrl, 'admin')];
    await promote(stack, 'admin');
    return await attack({ stack, site, baseUrl, owner, admin });
  } finally {
    await site.close();
  }
}

type Parts = { stack: Stack; site: LoginSite; baseUrl: string; owner: Client; admin: Client };

async function attack({ stack, site, baseUrl, owner, admin }: Parts): Promise<AttackResult> {
  const secret = () => `pw-${randomBytes(6).toString('hex')}`;
  const [scripted, given, code] = [secret(), secret(), secret()];
  const canaries = [scripted, given, code];
  const reached: string[] = [];
  const broken: string[] = [];
  let tried = 0;
  const search = (place: string, shown: unknown, among = canaries) => {
    tried += 1;
    const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
    const found = among.filter((canary) => text.includes(canary));
    if (found.length > 0) reached.push(`${place}: ${found.length} of ${among.length} secrets`);
  };

  const first = await owner.sendChat({
    prompt: `let word = "${scripted}"\ntype "{word}" into "Password"\nclick "Log in"\nscreenshot`,
    current_url: site.url,
  });
  await untilStatus(owner, first.task_id, 'success');
  const { session_id } = first;
  const { share } = await owner.shareSession({ id: session_id });
  const guest = createClient({ baseUrl, shareToken: share.share_token });
  const second = await owner.sendChat({
    prompt: `log in as anna with ${given}`,
    session_id,
    steps: [
      { action: 'navigate', url: site.url },
      { action: 'type', target: 'Password', text: given, title: `Type ${given}` },
      { action: 'ask', question: 'Which code?' },
    ],
  });
  await untilStatus(owner, second.task_id, 'awaiting_user');
  search('the inbox', await owner.listInbox());
  await owner.signalTakeover({ id: second.task_id, answer: code });
  await untilStatus(owner, second.task_id, 'success');
  if (!site.passwords.includes(scripted)) broken.push('the page did not get the password that was typed');

  // What an owner may read again: the prompt, the plan, and what they said themselves.
  const typed = [scripted, given];
  for (const [who, client] of [['the owner', owner] as const, ['the admin', admin] as const]) {
    search(`the sessions that ${who} lists`, await client.listSessions({ limit: 200 }));
    search(`the tasks that ${who} lists`, await client.listTasks({ limit: 200 }));
  }
  for (const id of [first.task_id, second.task_id]) {
    search('a status', (await owner.getTaskStatus({ id })).status, typed);
    search('logs', await owner.listLogs({ id, limit: 200 }));
    search('executions', await owner.listExecutions({ id }));
    search('observations', await owner.listObservations({ id }));
    const events: unknown[] = [];
    for await (const event of owner.followTask({ id }, { signal: AbortSignal.timeout(60_000) }))
      events.push(withoutConversation(event));
    search('the events of a task', events, typed);
    const { prompt, plan } = (await owner.getTask({ id })).task;
    if (!typed.some((word) => prompt.includes(word) && JSON.stringify(plan).includes(word)))
      broken.push('the owner cannot read the prompt and the plan of a task');
  }
  search('the live view', withoutConversation((await owner.getSession({ id: session_id })).snapshot), typed);
  search('a shared view', (await guest.getSession({ id: session_id })).snapshot);
  search('the live view as a guest follows it', await followFor(guest, session_id, 500));
  search('the logs of the processes', await logsOf(stack));
  search('the audit', (await dump(stack)).get('public.audit') ?? '');

  await owner.deleteSession({ id: session_id, purge: true });
  await sleep(500);
  for (const id of [first.task_id, second.task_id]) {
    const { task } = await owner.getTask({ id });
    search('a purged task', task);
    search('the conversation of a purged task', await owner.getMessageState({ id }));
    search('the status of a purged task', await owner.getTaskStatus({ id }));
    if (task.status !== 'success' || (task.plan?.steps.length ?? 0) < 3)
      broken.push('after a purge the owner does not see what kind of task it was');
    const again = await owner.rerunTask({ id }).catch((error: { status?: number }) => error);
    if (!('status' in again) || again.status !== 409) broken.push('a purged task can be run again');
  }
  const tables = await dump(stack);
  for (const [name, text] of tables) search(`the table ${name} after the purge`, text);
  search('the stored files after the purge', await filesOf(join(stack.services.place.dir, 'blobs')));
  search('the logs of the processes after the purge', await logsOf(stack));
  return { tried, reached, broken, figures: { tables: tables.size } };
}

/** Without the prompt and the answers, which are the owner's own words to read. */
function withoutConversation(shown: object): object {
  return JSON.parse(
    JSON.stringify(shown, (name, value) =>
      name === 'task_prompt' || (value?.role === 'user' && 'content' in value) ? undefined : value,
    ),
  );
}

async function followFor(client: Client, id: string, ms: number): Promise<unknown[]> {
  const events: unknown[] = [];
  try {
    for await (const event of client.followSession({ id, cursor: '0' }, { signal: AbortSignal.timeout(ms) }))
      events.push(event);
  } catch {
    // The time is over.
  }
  return events;
}

async function logIn(baseUrl: string, username: string): Promise<Client> {
  const anybody = createClient({ baseUrl });
  const password = 'a lamp in the harbour';
  await anybody.register({ username, email: `${username}@example.test`, password });
  const { access_token } = await anybody.login({ username_or_email: username, password });
  return createClient({ baseUrl, token: () => access_token });
}

const promote = (stack: Stack, username: string) =>
  promisify(execFile)(process.execPath, ['apps/server/src/admin.main.ts', 'promote', username], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: stack.services.databaseUrl() },
  });

async function untilStatus(client: Client, id: string, wanted: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { status, last_error } = (await client.getTaskStatus({ id })).status;
    if (status === wanted) return;
    if (['success', 'failed', 'cancelled'].includes(status) || performance.now() > deadline)
      throw new Error(`the task is ${status} instead of ${wanted}: ${last_error}`);
    await sleep(50);
  }
}

/** What every table holds, as text. */
async function dump(stack: Stack): Promise<Map<string, string>> {
  const database = new pg.Client(stack.services.databaseUrl());
  await database.connect();
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.set(name, rows.map(({ row }) => row).join('\n'));
    }
    return texts;
  } finally {
    await database.end();
  }
}

async function logsOf(stack: Stack): Promise<string> {
  const logs = Object.values(stack.status().processes).map(({ log }) => readFile(log, 'utf8'));
  return (await Promise.all(logs)).join('\n');
}

async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

type LoginSite = Awaited<ReturnType<typeof startLoginSite>>;

/** A page that asks for a password, and repeats it in an alert when it is wrong. */
async function startLoginSite() {
  const passwords: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      passwords.push(await bodyOf(request));
      return void response.writeHead(204).end();
    }
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Log in</title>
      <label>Password <input type="password"></label>
      <button onclick="const word = document.querySelector('input').value;
        fetch('/', { method: 'POST', body: word }).then(() => alert(word + ' is wrong'))">Log in</button>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passwords,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

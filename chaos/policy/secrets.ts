// Canary secrets typed by scripts and by a scripted model on a site that repeats them: nothing that is kept may hold one, and no
// other origin may get one.

import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type TaskStatus } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import { startModelServer } from '../../testkit/models/server.ts';
import { type Intent, teacher } from '../../testkit/models/teacher.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { searchAll } from './search.ts';
import { control, type EchoSite, startEchoSite } from './site.ts';

export type CanaryOptions = { stack: Stack; seed: number; secrets: number };
type Canary = { name: string; value: string };
type Parts = { client: Client; site: EchoSite; wrong: string[] };

const taskMs = 120_000;
const totp = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** Letters that readers of pictures do not confuse. */
const letters = 'ABEFHKMNRTWXY';

export async function hideSecrets({ stack, seed, secrets }: CanaryOptions) {
  const random = createRandom(seed);
  const parts = new AsyncDisposableStack();
  try {
    const site = parts.adopt(await startEchoSite(), (one) => one.close());
    const plans = new Map<string, Intent[]>();
    const model = parts.adopt(
      await startModelServer((request) => {
        const name = /\{\{secret:([\w-]+)\}\}/.exec(request.messages[0]?.text ?? '')?.[1] ?? '';
        return teacher(plans.get(name) ?? [])(request);
      }),
      (one) => one.close(),
    );
    const given = { LOG_LEVEL: 'debug', MODELS: `local=${model.addresses.chat}#scripted`, QUOTA_OPEN_SESSIONS: '1000' };
    const before = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]));
    Object.assign(process.env, given);
    parts.defer(() => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    const port = await freePort();
    const sites = [site.own, site.other];
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const work: Parts = { client, site, wrong: [] };
    const canaries = Array.from({ length: secrets }, (_, i) => newCanary(random, i + 1));
    for (const { name, value } of canaries) await client.putSecret({ name, value, origins: [site.own], totp });

    const sessions: string[] = [];
    for (const [i, canary] of canaries.entries()) {
      plans.set(canary.name, planOf(site, canary));
      sessions.push(await (i % 2 === 0 ? byScript : byModel)(work, canary));
    }
    await afterRestart(stack, work, canaries, sessions);
    const refused = await elsewhere(work, canaries);
    for (const canary of canaries) checkTyped(work, canary);

    const values = canaries.map(({ value }) => value);
    const { found, searched, controls } = await searchAll(stack, model.books, { values, control });
    const strayed = site.books.filter(({ origin, value }) => origin !== site.own && values.includes(value)).length;
    // A search that does not find what is there says nothing.
    for (const kind of ['row', 'request', 'blob pictures'])
      if (!controls[kind]) work.wrong.push(`the control was not found in any ${kind}`);
    const isGood = found.length + strayed + work.wrong.length === 0 && refused > 0;
    return { isGood, figures: { seed, secrets, searched, controls, found, strayed, refused, wrong: work.wrong } };
  } finally {
    await parts.disposeAsync();
  }
}

function newCanary(random: Random, number: number): Canary {
  const word = Array.from({ length: 12 }, () => letters[random.below(letters.length)]).join('');
  // Signs that addresses, HTML and JSON write in another way.
  return { name: `canary-${number}`, value: `${word} +/${number % 3 === 0 ? 'é' : '%'}` };
}

async function byScript({ client, site, wrong }: Parts, { name }: Canary): Promise<string> {
  const prompt = `open "${site.own}/shown/${name}"
type "{{secret:${name}}}" into "Password"
type "{{totp:${name}}}" into "Code"
screenshot
click "Log in"
accept dialog
wait for "${control}"
extract text as page
extract attributes css "button[title]" as buttons
hover "Done"
screenshot
download "Report"
open "${site.own}/echo/${name}"`;
  const { task_id, session_id } = await client.sendChat({ prompt, planner: 'script', record: true });
  const status = await ended(client, task_id);
  if (status?.status !== 'success') wrong.push(`${name}: ${status?.status}: ${status?.last_error}`);
  return session_id;
}

const planOf = (site: EchoSite, { name }: Canary): Intent[] => [
  { open: `${site.own}/login/${name}` },
  { fill: { Password: `{{secret:${name}}}`, Code: `{{totp:${name}}}` } },
  { click: 'Log in' },
  { accept: true },
  { call: { name: 'extract', input: { kind: 'text', as: 'page' } } },
  { use: 'download', on: 'Report' },
  { finish: (page: { text: string }) => ({ page: page.text }) },
];

async function byModel({ client, site, wrong }: Parts, { name }: Canary): Promise<string> {
  const prompt = `Log in with {{secret:${name}}} and fetch the report, at ${site.own}/login/${name}.`;
  const { task_id, session_id } = await client.sendChat({ prompt, planner: 'llm', record: true });
  const status = await ended(client, task_id);
  if (status?.status !== 'success') wrong.push(`${name}: ${status?.status}: ${status?.last_error}`);
  return session_id;
}

/** The agent and the host are shot: a page that repeats the value is as silent as before. */
async function afterRestart(stack: Stack, parts: Parts, [canary]: Canary[], [sessionId]: string[]): Promise<void> {
  if (!canary || !sessionId) return;
  for (const part of ['browser-1', 'agent-1']) {
    await stack.kill(part);
    await stack.start(part);
  }
  const { client, site, wrong } = parts;
  const prompt = `open "${site.own}/echo/${canary.name}"\nwait for "${control}"\nextract text as page\nscreenshot`;
  const { task_id } = await client.sendChat({ prompt, planner: 'script', session_id: sessionId });
  const status = await ended(client, task_id);
  if (status?.status !== 'success') wrong.push(`after a restart: ${status?.status}: ${status?.last_error}`);
}

/** Asks for the secret where it may not be typed. Returns how often that was refused with the origins in the sentence. */
async function elsewhere({ client, site, wrong }: Parts, canaries: Canary[]): Promise<number> {
  const [{ name } = { name: '' }] = canaries;
  const typing = `type "{{secret:${name}}}" into`;
  const scripts = {
    'another origin': `open "${site.other}/login/x"\n${typing} "Password"`,
    'a look-alike': `open "${site.own.replace('127.0.0.1', 'localhost')}/login/x"\n${typing} "Password"`,
    'a frame of another origin': `open "${site.own}/framed/x"\nstep {"action":"type","target":{"css":"[name=code]","frame":"${site.other}"},"text":"{{secret:${name}}}"}`,
    'a redirect': `open "${site.own}/leaving/x"\nwait until url "${site.other}/login/x"\n${typing} "Password"`,
  };
  let refused = 0;
  for (const [what, prompt] of Object.entries(scripts)) {
    const { task_id } = await client.sendChat({ prompt: `${prompt}\nclick "Log in"`, planner: 'script' });
    const status = await ended(client, task_id);
    if (status?.status !== 'failed') wrong.push(`${what}: ${status?.status}: ${status?.last_error}`);
    if (status?.last_error?.includes(`is only for ${site.own}`)) refused += 1;
  }
  return refused;
}

/** The site has got it, and a code of six digits with it. */
function checkTyped({ site, wrong }: Parts, { name, value }: Canary): void {
  const got = site.books.filter(({ path, origin }) => path.endsWith(`/${name}`) && origin === site.own);
  if (!got.some((one) => one.value === value)) wrong.push(`${name} was not typed`);
  if (!got.some((one) => /^\d{6}$/.test(one.value))) wrong.push(`${name}: no code was typed`);
}

async function ended(client: Client, id: string): Promise<TaskStatus | undefined> {
  for (const until = performance.now() + taskMs; performance.now() < until; ) {
    const { status } = await client.getTaskStatus({ id });
    if (isTerminal(status.status)) return status;
    await sleep(300);
  }
  return undefined;
}

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@pilothouse/sdk';
import { root } from '../../testkit/stack/folders.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import type { Attack, AttackResult, OpenStack } from './attack.ts';
import { withOpenStack } from './open-stack.ts';
import type { RawBus } from './raw-bus.ts';
import { becomes, openAsHost, removeHost, rogueId, startBank } from './rogue-host.ts';

const claimed = 10_000;
/** What the operator lets the rogue hold. */
const share = 1;
const doneMs = 15_000;

export const hostClaimsRoom: Attack = {
  name: 'host-claims-room',
  what: 'a browser host claims room for ten thousand sessions, to be handed those of everybody, or to have browsers closed',
  run: ({ isSmall, ...size }) => withOpenStack(size, (parts) => attack(parts, isSmall ? 3 : 5)),
};

async function attack({ stack, baseUrl, sitePort }: OpenStack, victims: number): Promise<AttackResult> {
  const bank = await startBank(sitePort);
  const reached: string[] = [];
  const broken: string[] = [];
  let bus: RawBus | undefined;
  let rogue: ReturnType<typeof claimRoom> | undefined;
  try {
    await limitRogue(stack);
    const client = createClient({ baseUrl });
    const visit = async (name: string, label?: string) => {
      const steps = [{ action: 'navigate', url: `${bank.url}/${name}` } as const];
      const sent = await client.sendChat({ prompt: name, steps, profile_label: label });
      let status = 'unfinished';
      const following = async () => {
        for await (const event of client.followTask({ id: sent.task_id }, { signal: AbortSignal.timeout(doneMs) }))
          if (event.type === 'end') status = event.status;
      };
      await following().catch(() => {});
      return { session_id: sent.session_id, status };
    };
    const isLive = async (id: string) => (await client.getSession({ id })).snapshot.session.browser === 'live';

    const first = await visit('saved', 'bank');
    await client.deleteSession({ id: first.session_id });
    const resting = await visit('resting');
    if (!(await isLive(resting.session_id))) throw new Error('the browser of the victim is not open');

    bus = await openAsHost(stack);
    rogue = claimRoom(bus);
    await rogue.ready();

    rogue.answersFull = true;
    const newcomer = await visit('newcomer');
    if (newcomer.status !== 'success') broken.push(`a task ended as ${newcomer.status} beside a host that says full`);
    if (!(await isLive(resting.session_id)))
      reached.push('had the browser of another session closed by saying that it is full');

    rogue.answersFull = false;
    rogue.opened.clear();
    const tried = Array.from({ length: victims }, (_, i) => `victim-${i}`);
    // One after the other, as people come.
    const visits: Awaited<ReturnType<typeof visit>>[] = [];
    for (const name of tried) visits.push(await visit(name, 'bank'));
    const handed = visits.flatMap(({ session_id }) => rogue?.opened.get(session_id) ?? []);
    const cookies = handed.filter((state) => state.includes('canary-cookie')).length;
    if (handed.length > share)
      reached.push(`was handed ${handed.length} of ${victims} sessions, ${cookies} with the cookies of their profile`);
    const unfinished = visits.filter(({ status }) => status !== 'success').length;
    if (unfinished > 0) broken.push(`${unfinished} of ${victims} tasks did not succeed beside it`);
    return { tried: victims + 1, reached, broken, figures: { handed: handed.length, with_cookies: cookies, share } };
  } finally {
    rogue?.close();
    bus?.close();
    await removeHost(stack);
    await bank.close();
  }
}

/** The operator's word, where there is such a command. */
async function limitRogue(stack: Stack): Promise<void> {
  const env = { ...process.env, DATABASE_URL: stack.services.databaseUrl() };
  const args = [join(root, 'apps/server/src/admin.main.ts'), 'host', rogueId, String(share)];
  await promisify(execFile)(process.execPath, args, { env, timeout: 20_000 }).catch(() => {});
}

/** A host that has no browsers: it holds a lease, says that it has room, and keeps what it is handed. */
function claimRoom(bus: RawBus) {
  const opened = new Map<string, string>();
  const bootId = randomUUID();
  let answered = 0;
  const rogue = {
    opened,
    answersFull: false,
    ready: async () => {
      if (!(await becomes(() => answered > 0, 10_000))) throw new Error('the rogue host was granted no lease');
      // The agents' next look sees it.
      await sleep(300);
    },
    close: () => clearInterval(timer),
  };
  const full = { ok: false, failure: 'full', message: 'full', has_touched: false };
  bus.subscribe(`_IN.host-${rogueId}.>`, () => {
    answered += 1;
  });
  bus.subscribe(`host.${rogueId}.command`, ({ body, reply }) => {
    const command = JSON.parse(body.toString());
    if (command.type === 'open') opened.set(command.session_id, JSON.stringify(command.state));
    const status = { capacity: claimed, warm: 0, has_own_users: true, sessions: [] };
    const answers: Record<string, object> = {
      open: rogue.answersFull ? full : { ok: true },
      status: { ok: true, status },
    };
    bus.publish(reply ?? 'nobody', JSON.stringify(answers[command.type] ?? { ok: true }));
  });
  const beat = () => {
    const message = { host_id: rogueId, boot_id: bootId, sessions: [], capacity: claimed, load: { cpu: 0, memory: 0 } };
    bus.publish(`host.${rogueId}.heartbeat`, JSON.stringify(message), `_IN.host-${rogueId}.beat`);
  };
  beat();
  const timer = setInterval(beat, 200);
  return rogue;
}

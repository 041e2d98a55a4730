// Pages that change between a person's yes and the touch, again and again at another moment, some of them while agents are killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@pilothouse/contract';
import { type Client, isApiError } from '@pilothouse/sdk';
import { type SwapKind, type SwapSite, swapKinds } from '../../testkit/attacks/swap-site.ts';
import type { Mind } from '../../testkit/models/mind.ts';
import { teacher } from '../../testkit/models/teacher.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { insist } from '../tasks/person.ts';

export type SwapSetting = { client: Client; swaps: SwapSite; minds: Map<string, Mind>; stack: Stack };
type Size = { seed: number; races: number; killEvery: number; atOnce: number };
type Race = { token: string; kind: SwapKind; asked: number; orders: number; swapped: number; isEnded: boolean };

const endMs = 120_000;
/** From the yes on; an agent touches the page within it. */
const swapMs = { from: 0, to: 400 };

export async function swapUnderTheHand(setting: SwapSetting, { seed, races, killEvery, atOnce }: Size) {
  const random = createRandom(seed);
  const ran: Race[] = [];
  let next = 0;
  let kills = 0;
  const lane = async () => {
    while (next < races) {
      const number = next++;
      const isKilled = killEvery > 0 && number % killEvery === killEvery - 1;
      if (isKilled) kills += 1;
      ran.push(await runOne(setting, { seed, number, random, isKilled }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const wrong = ran.flatMap(({ token, kind, orders, swapped, isEnded }) => [
    ...(swapped > 0 ? [`${token} (${kind}): ${swapped} acts on what nobody had approved`] : []),
    ...(orders > 1 ? [`${token} (${kind}): ${orders} orders by one yes`] : []),
    ...(isEnded ? [] : [`${token} (${kind}): it did not end`]),
  ]);
  const voided = ran.filter(({ asked }) => asked > 1).length;
  const inTime = ran.filter(({ orders, swapped }) => orders === 1 && swapped === 0).length;
  return {
    isGood: wrong.length === 0 && ran.length > 0,
    figures: { races: ran.length, kills, voided, ordered_before_the_change: inTime, wrong },
  };
}

type Run = { seed: number; number: number; random: Random; isKilled: boolean };

async function runOne({ client, swaps, minds, stack }: SwapSetting, run: Run): Promise<Race> {
  const { seed, number, random, isKilled } = run;
  const token = `s${seed}-${number}`;
  const kind = swapKinds[number % swapKinds.length] ?? 'price';
  const url = swaps.pageFor(token, kind);
  minds.set(token, teacher([{ open: url }, { click: 'Place order' }, { finish: { done: true } }]));
  const words = `Order the lantern at ${url}. (reference ${token})`;
  const signal = AbortSignal.timeout(endMs);
  const chat = await client.sendChat({ prompt: words, planner: 'llm', max_steps: 20 });
  const id = chat.task_id;
  const read = async () => (await insist(() => client.getTaskStatus({ id }, { timeoutMs: 10_000 }), signal)).status;
  const answers = new Map<string, string>();
  const isEnded = await until(async () => {
    const { status, question } = await read();
    if (question && !answers.has(question.asked_at)) {
      const isFirst = answers.size === 0;
      // What is asked in doubt after a kill, the site answers.
      const isDoubt = question.kind === 'doubt';
      const answer = isDoubt ? (swaps.sentBy(token).length > 0 ? 'done' : 'stop') : isFirst ? 'once' : 'no';
      answers.set(question.asked_at, answer);
      const saying = say(client, id, answer, question.asked_at);
      if (isFirst) {
        await Promise.all([saying, swapSoon(swaps, token, random), isKilled && killSoon(stack, random)]);
      } else await saying;
    }
    return isTerminal(status);
  }, endMs).then(
    () => true,
    () => false,
  );
  await insist(() => client.deleteSession({ id: chat.session_id }), AbortSignal.timeout(endMs));
  const sent = swaps.sentBy(token);
  return {
    token,
    kind,
    asked: answers.size,
    orders: sent.length,
    swapped: sent.filter(({ isSwapped }) => isSwapped).length,
    isEnded,
  };
}

async function say(client: Client, id: string, answer: string, asked_at: string): Promise<void> {
  await client.signalTakeover({ id, answer, asked_at }).catch((error: unknown) => {
    // It lapsed, or the page changed, in the same moment.
    if (!isApiError(error, 'conflict')) throw error;
  });
}

async function swapSoon(swaps: SwapSite, token: string, random: Random): Promise<void> {
  await sleep(random.between(swapMs.from, swapMs.to));
  swaps.swap(token);
}

async function killSoon(stack: Stack, random: Random): Promise<void> {
  await sleep(random.between(swapMs.from, swapMs.to));
  const part = random.pick(['agent-1', 'agent-2']);
  await stack.kill(part, 'SIGKILL').catch(() => {
    // Another race has just killed it.
  });
  await sleep(200);
  await stack.start(part).catch(() => {
    // That race has started it again.
  });
}

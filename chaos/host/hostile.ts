// Random steps on hostile pages, several sessions at a time, and now and then a renderer is shot. Whatever happens,
// every command is answered in time, and in the end nothing is left.

import { readdir } from 'node:fs/promises';
import { connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { drive, startHost } from '../../apps/browser/testing/host.ts';
import { hostilePages, startHostileSite } from '../../apps/browser/testing/hostile.ts';
import { chromiumPids, rendererPids } from '../../apps/browser/testing/processes.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { until } from '../../testkit/until.ts';

const LATE_MS = 1000;
const OPEN_TRIES = 3;
const targets = [
  'Go',
  'Send',
  'Home',
  'Far',
  'Field',
  'Area',
  'List',
  'Box',
  'Report',
  'Nothing of this name',
] as const;

export type HostileResult = {
  sequences: number;
  commands: number;
  late: string[];
  /** Answers by their kind. */
  answers: Record<string, number>;
  slowest_over_deadline_ms: number;
  /** How often a browser that was lost had to be asked for once more. */
  opened_late: number;
  browsers_left: number;
  folders_left: number;
};

export async function playHostile({ sequences, atOnce, seed }: { sequences: number; atOnce: number; seed: number }) {
  const [nats, site] = await Promise.all([startNats({ hosts: ['h1'] }), startHostileSite()]);
  const agent = await connectBus(nats.as('agent'));
  const host = await startHost(nats, 'h1', { capacity: atOnce });
  const result: HostileResult = {
    sequences: 0,
    commands: 0,
    late: [],
    answers: {},
    slowest_over_deadline_ms: Number.NEGATIVE_INFINITY,
    opened_late: 0,
    browsers_left: 0,
    folders_left: 0,
  };
  const count = (answer: string) => {
    result.answers[answer] = (result.answers[answer] ?? 0) + 1;
  };

  async function playOne(random: Random): Promise<void> {
    const session = drive(agent, 'h1');
    let epoch = 1;
    await session.open({ epoch });
    const length = 4 + random.below(8);
    for (let turn = 0; turn < length; turn++) {
      const step = turn === 0 ? goTo(site.url, random) : randomStep(site.url, random);
      const deadlineMs = Math.round(random.between(300, 2500));
      if (random.is(0.03)) await shootRenderer(host.folder, random);
      const begun = performance.now();
      const command = { type: 'act', command_id: crypto.randomUUID(), epoch, deadline_ms: deadlineMs, step } as const;
      const answered = await session.ask(command, deadlineMs + LATE_MS + 4000);
      const over = performance.now() - begun - deadlineMs;
      result.commands += 1;
      result.slowest_over_deadline_ms = Math.max(result.slowest_over_deadline_ms, Math.round(over));
      if (over > LATE_MS) result.late.push(`${step.action} at ${JSON.stringify(step)}: ${Math.round(over)} ms over`);
      const kind = answered.ok ? (answered.reply.head.ok ? 'done' : answered.reply.head.failure) : answered.reason;
      count(kind);
      if (kind === 'crashed' || kind === 'no_responders') {
        epoch = await openAgain(session, epoch);
      }
    }
    await session.closeSession(epoch);
    result.sequences += 1;
  }

  /** As an agent would: one that is told to ask again does, under a new epoch. */
  async function openAgain(session: ReturnType<typeof drive>, lost: number): Promise<number> {
    for (let epoch = lost + 1; ; epoch += 1) {
      const opened = await session.open({ epoch });
      if (opened.ok) return epoch;
      // What was under way may not have ended yet, or the new browser may have died as it came.
      const isWorthAnother = opened.failure === 'timeout' || opened.failure === 'crashed';
      if (!isWorthAnother || epoch - lost === OPEN_TRIES) throw new Error(`could not open again: ${opened.failure}`);
      result.opened_late += 1;
    }
  }

  try {
    let next = 0;
    const worker = async () => {
      while (next < sequences) {
        const mine = next++;
        await playOne(createRandom(seed + mine));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    // A warm browser may wait for the next session; none of a session may be left.
    await until(async () => host.host.status().sessions.length === 0, 5000);
    await host.close();
    result.browsers_left = (await chromiumPids(host.folder)).length;
    result.folders_left = (await readdir(host.folder).catch(() => [])).length;
  } finally {
    await host.close();
    await agent.close();
    await site.close();
    await nats.close();
  }
  return result;
}

function goTo(url: string, random: Random): Step {
  return { action: 'navigate', url: `${url}/${random.pick(hostilePages)}` };
}

function randomStep(url: string, random: Random): Step {
  const target = random.pick(targets);
  const steps: Step[] = [
    goTo(url, random),
    { action: 'back' },
    { action: 'forward' },
    { action: 'reload' },
    { action: 'click', target },
    { action: 'click', target: 'Go' },
    { action: 'double_click', target },
    { action: 'hover', target },
    { action: 'type', target: random.pick(['Field', 'Area']), text: 'some text' },
    { action: 'press', key: random.pick(['Enter', 'Tab', 'Escape', 'Control+a', 'F5']) },
    { action: 'select', target: 'List', option: random.pick(['Blue', 'Nowhere']) },
    { action: 'check', target: 'Box', checked: random.is(0.5) },
    { action: 'scroll', delta_y: Math.round(random.between(-800, 800)) },
    { action: 'scroll', target: 'Far' },
    { action: 'drag', from: 'Go', to: 'Send' },
    { action: 'wait', for: { text: 'Things' } },
    { action: 'wait', for: { idle: true } },
    { action: 'extract', kind: 'table', target: 'Prices', as: 'prices' },
    { action: 'extract', kind: 'text', as: 'text' },
    { action: 'screenshot' },
    { action: 'new_page', url: `${url}/${random.pick(hostilePages)}` },
    { action: 'close_page' },
    { action: 'focus_page', page: 'p1' },
    { action: 'answer_dialog', accept: random.is(0.5), text: 'yes' },
    { action: 'answer_dialog', accept: true },
    { action: 'download', target: 'Report' },
  ];
  return random.pick(steps);
}

/** As a page would die that found a hole, or too little memory. */
async function shootRenderer(folder: string, random: Random): Promise<void> {
  const pids = await rendererPids(folder);
  if (pids.length === 0) return;
  try {
    process.kill(random.pick(pids), 'SIGKILL');
  } catch {
    // Gone by itself meanwhile.
  }
}

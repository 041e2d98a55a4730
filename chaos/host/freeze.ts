import { setTimeout as sleep } from 'node:timers/promises';
import { hostCommand, type SessionCommand, sessionCommand } from '@pilothouse/bus';
import { newId } from '../../apps/browser/src/common/id.ts';
import { drive } from '../../apps/browser/testing/host.ts';
import { hostId, type ShotHost, startShotHost } from '../../testkit/host.ts';
import { until } from '../../testkit/until.ts';

const leaseMs = 900;
const queued = 12;

export type FreezeResult = {
  rounds: number;
  /** Commands that were sent while the host was stopped, beyond its lease, and waited in its socket. */
  late: number;
  /** Of those, how many were done. */
  accepted: number;
  answers: Record<string, number>;
  /** Under way when the host was stopped, and done after its lease. */
  in_flight: Record<string, number>;
  /** Ended although no agent said that another host has them. */
  ended_early: number;
  /** Still there after an agent said so. */
  browsers_left: number;
  gone_ms: number[];
};

/**
 * Stops the host beyond its lease with commands under way and more of them waiting, and lets it go on. Then its session is
 * at another host.
 */
export async function freezeHost(rounds: number): Promise<FreezeResult> {
  const host = await startShotHost({ leaseMs, capacity: 4, warm: 1, firstUid: 41_000 });
  const result: FreezeResult = {
    rounds,
    late: 0,
    accepted: 0,
    answers: {},
    in_flight: {},
    ended_early: 0,
    browsers_left: 0,
    gone_ms: [],
  };
  try {
    await host.start();
    for (let round = 0; round < rounds; round += 1) await freezeOnce(host, result);
    return result;
  } finally {
    await host.close();
  }
}

async function freezeOnce(host: ShotHost, result: FreezeResult): Promise<void> {
  const session = drive(host.agent, hostId);
  await until(async () => (await session.open().catch(() => undefined))?.ok === true, 20_000);
  const ask = async (command: Parameters<typeof session.ask>[0]) => {
    const to = { host_id: hostId, session_id: session.sessionId };
    const answer = await host.agent.request(sessionCommand, to, command, { timeoutMs: 15_000 });
    if (!answer.ok) return answer.reason;
    return answer.reply.head.ok ? 'done' : answer.reply.head.failure;
  };
  const act = (step: Extract<SessionCommand, { type: 'act' }>['step']) =>
    ask({ type: 'act', command_id: newId(), epoch: 1, deadline_ms: 5000, step });

  const underWay = act({ action: 'wait', for: { secs: 3 } });
  await sleep(50);
  host.kill('SIGSTOP');
  host.setGranting(false);
  // A heartbeat that was on its way may have been answered a moment ago: from now on the lease can only run out.
  await sleep(leaseMs + 100);
  const late = [
    ...Array.from({ length: queued }, () => act({ action: 'screenshot' })),
    ask({ type: 'look' }),
    ask({ type: 'watch', for_ms: 1000 }),
    openAt(host, newId()),
    openAt(host, session.sessionId),
  ];
  await sleep(50);
  const before = await host.browsers();
  if (before.length === 0) throw new Error('the host had no browser to lose');
  host.kill('SIGCONT');
  for (const answer of await Promise.all(late)) {
    result.late += 1;
    if (answer === 'done') result.accepted += 1;
    result.answers[answer] = (result.answers[answer] ?? 0) + 1;
  }
  const cut = await underWay;
  result.in_flight[cut] = (result.in_flight[cut] ?? 0) + 1;
  const kept = new Set(await host.browsers());
  result.ended_early += before.filter((pid) => !kept.has(pid)).length;
  const toldAt = performance.now();
  host.setGranting(true, [{ session_id: session.sessionId, epoch: 3 }]);
  // What was launched ahead belongs to no session.
  const isGone = async () => (await host.status())?.sessions.length === 0;
  await until(isGone, 10_000).catch(async () => {
    result.browsers_left += 1;
  });
  result.gone_ms.push(performance.now() - toldAt);
  host.setGranting(true);
}

async function openAt({ agent }: ShotHost, sessionId: string): Promise<string> {
  const viewport = { width: 1280, height: 720 };
  const message = { type: 'open', session_id: sessionId, epoch: 2, viewport, state: null } as const;
  const answer = await agent.request(hostCommand, { host_id: hostId }, message, { timeoutMs: 15_000 });
  if (!answer.ok) return answer.reason;
  return answer.reply.ok ? 'done' : answer.reply.failure;
}

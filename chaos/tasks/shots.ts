// What goes wrong, when, and with whom: drawn from a seed, so that a schedule can be had again.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../testkit/random.ts';
import type { Stack } from '../../testkit/stack/stack.ts';

/** Killed at once, stopped and let go on, or asked to end and started again. */
export const shotKinds = ['kill', 'pause', 'restart'] as const;
export type ShotKind = (typeof shotKinds)[number];
export type Shot = { kind: ShotKind; part: string; at: Date; downMs: number };

type Planned = { afterMs: number; kind: ShotKind; part: string; downMs: number };

const everyMs = { from: 3000, to: 8000 };
const killedForMs = { from: 200, to: 1500 };
const pausedForMs = { from: 2000, to: 12_000 };
const startAgainMs = 500;

/** Every kind of harm with equal chances, then one of those it can be done to. */
function plan(random: Random, parts: { ours: string[]; services: string[] }): Planned {
  const kinds = [...new Set(parts.ours.map((part) => part.replace(/-\d+$/, '')))];
  const harms = [
    ...kinds.flatMap((kind) => shotKinds.map((how) => ({ how, of: parts.ours.filter((one) => one.startsWith(kind)) }))),
    ...parts.services.map((service) => ({ how: 'kill' as const, of: [service] })),
  ];
  const { how, of } = random.pick(harms);
  const downFor = how === 'pause' ? pausedForMs : killedForMs;
  return {
    afterMs: random.between(everyMs.from, everyMs.to),
    kind: how,
    part: random.pick(of),
    downMs: random.between(downFor.from, downFor.to),
  };
}

/** Shoots until it is closed, and leaves everything running. One that is down already is not shot again. */
export function startShooting({ stack, random, parts }: Options) {
  const shots: Shot[] = [];
  const closed = new AbortController();
  const down = new Map<string, Promise<unknown>>();
  /** What the shooting itself could not do. */
  const problems: string[] = [];

  const pidOf = (part: string) => {
    const pid = stack.status().processes[part]?.pid;
    if (!pid) throw new Error(`${part} does not run`);
    return pid;
  };

  /** As a supervisor would: again and again, where a service that the process needs is away as well. */
  async function startAgain(part: string): Promise<void> {
    for (;;) {
      try {
        await stack.start(part);
        return;
      } catch {
        await sleep(startAgainMs);
      }
    }
  }

  async function shoot({ kind, part, downMs }: Planned): Promise<void> {
    shots.push({ kind, part, at: new Date(), downMs });
    if (kind === 'pause') {
      const pid = pidOf(part);
      process.kill(pid, 'SIGSTOP');
      await sleep(downMs);
      process.kill(pid, 'SIGCONT');
      return;
    }
    await stack.kill(part, kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
    await sleep(downMs);
    await startAgain(part);
  }

  const shooting = (async () => {
    for (;;) {
      const planned = plan(random, parts);
      await sleep(planned.afterMs, undefined, { signal: closed.signal });
      if (down.has(planned.part)) continue;
      down.set(
        planned.part,
        shoot(planned)
          .catch((error) => problems.push(`${planned.kind} ${planned.part}: ${error}`))
          .finally(() => down.delete(planned.part)),
      );
    }
  })().catch((error) => {
    if (!closed.signal.aborted) throw error;
  });

  return {
    shots,
    problems,
    async close() {
      closed.abort();
      await shooting;
      await Promise.all(down.values());
    },
  };
}
type Options = { stack: Stack; random: Random; parts: { ours: string[]; services: string[] } };

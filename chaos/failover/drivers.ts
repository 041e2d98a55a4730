// People who take a session over and hand it back without pause, and keep the epoch of each takeover that was granted to them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@pilothouse/sdk';

type Granted = { sessionId: string; epoch: number; takeoverId: string };

const againMs = 100;
const tryMs = 2000;

export function startDriving(client: Client, drivers: number) {
  const granted: Granted[] = [];
  const over = new AbortController();

  async function drive(): Promise<void> {
    let sessionId: string | undefined;
    while (!over.signal.aborted) {
      try {
        sessionId ??= (await client.createSession({}, { timeoutMs: tryMs })).session.id;
        await takeOnce(sessionId);
      } catch {
        // Servers without a database, or a takeover that is still on its way back: again.
        await sleep(againMs);
      }
    }
  }

  async function takeOnce(id: string): Promise<void> {
    const { takeover: asked } = await client.requestSessionTakeover({ id }, { timeoutMs: tryMs });
    const deadline = performance.now() + tryMs;
    for (;;) {
      const { takeover } = (await client.getSession({ id }, { timeoutMs: tryMs })).snapshot;
      if (takeover?.status === 'active' && takeover.takeover_id === asked.takeover_id) {
        granted.push({ sessionId: id, epoch: takeover.epoch, takeoverId: takeover.takeover_id });
        break;
      }
      if (performance.now() > deadline) break;
      await sleep(20);
    }
    await client.resumeSessionTakeover({ id }, { timeoutMs: tryMs });
  }
  const driving = Promise.all(Array.from({ length: drivers }, drive));

  return {
    /** Epochs that two takeovers of one session had, or that went back. */
    async end(): Promise<{ takeovers: number; twice: string[] }> {
      over.abort();
      await driving;
      const twice: string[] = [];
      for (const [sessionId, all] of Map.groupBy(granted, (one) => one.sessionId))
        for (const [index, { epoch, takeoverId }] of all.entries()) {
          const before = all[index - 1];
          const isSame = before?.takeoverId === takeoverId && before.epoch === epoch;
          if (before && !isSame && epoch <= before.epoch) twice.push(`${sessionId}: ${epoch} after ${before.epoch}`);
        }
      return { takeovers: granted.length, twice };
    },
  };
}

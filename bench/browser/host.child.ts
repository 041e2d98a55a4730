// A browser host as a process of its own, for as long as the process that started it lives.
import type { SignIn } from '@pilothouse/bus/testing';
import { startHost } from '../../apps/browser/testing/host.ts';

process.once('message', async ({ credentials, hostId, capacity }: HostOrder) => {
  const host = await startHost({ as: () => credentials }, hostId, { capacity });
  process.once('disconnect', () => void host.close().finally(() => process.exit()));
  process.send?.('ready');
});

export type HostOrder = { credentials: SignIn; hostId: string; capacity: number };

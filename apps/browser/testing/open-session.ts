// A bus, one host and one open session on it, for tests of what a host does with a command.

import { type Bus, connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive, startHost } from './host.ts';

export type OpenedSession = { agent: Bus; session: ReturnType<typeof drive>; close(): Promise<void> };

export async function openSessionOnHost(): Promise<OpenedSession> {
  const nats = await startNats({ hosts: ['h1'] });
  const agent = await connectBus(nats.as('agent'));
  const host = await startHost(nats, 'h1');
  const session = drive(agent, 'h1');
  await session.open();
  return {
    agent,
    session,
    async close() {
      await host.close();
      await agent.close();
      await nats.close();
    },
  };
}

// What most tests of a session begin with: a bus, a host that is called h1, and a session that is open there.

import { type Bus, connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive, type HostForTest, type Hosting, startHost } from './host.ts';

export type SessionAtHost = {
  /** The connection of an agent. */
  agent: Bus;
  host: HostForTest;
  session: ReturnType<typeof drive>;
  close(): Promise<void>;
};

export async function openSessionAtHost(hosting?: Hosting): Promise<SessionAtHost> {
  const parts = new AsyncDisposableStack();
  const close = () => parts.disposeAsync();
  try {
    const nats = await startNats({ hosts: ['h1'] });
    parts.defer(() => nats.close());
    const agent = await connectBus(nats.as('agent'));
    parts.defer(() => agent.close());
    const host = await startHost(nats, 'h1', hosting);
    parts.defer(() => host.close());
    const session = drive(agent, 'h1');
    await session.open();
    return { agent, host, session, close };
  } catch (error) {
    await close();
    throw error;
  }
}

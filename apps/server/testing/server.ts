import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announceEvent, connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { type Client, createClient } from '@pilothouse/sdk';
import { openStore, openWork, type Store } from '@pilothouse/store';
import { createTestDatabase } from '@pilothouse/store/testing';
import { Registry } from 'prom-client';
import { createApp } from '../src/app.ts';

export type TestServer = {
  baseUrl: string;
  client: Client;
  store: Store;
  databaseUrl: string;
  /** What the server logged, a line each. */
  logged: string[];
  close(): Promise<void>;
};

/** The real interface on a real port, with a database and a bus of its own. */
export async function startTestServer({ isAuthDisabled }: { isAuthDisabled: boolean }): Promise<TestServer> {
  const database = await createTestDatabase();
  const nats = await startNats();
  const blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
  const logged: string[] = [];
  const log = createLog('server', 'info', { write: (line) => void logged.push(line) });
  const store = openStore({
    url: database.url,
    blobDir,
    onError: (error) => log.warn(error),
    onChanged: (id, seq) => announceEvent(bus, id, seq),
  });
  await store.users.ensureLocal();
  const bus = await connectBus({ ...nats.as('server'), name: 'test server' });
  const work = await openWork({
    url: database.url,
    onLog: (level, message) => log[level]({ engine: message }, 'engine'),
  });
  const app = await createApp({ store, bus, work, log, metrics: new Registry(), version: 'test', isAuthDisabled });
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });

  return {
    baseUrl,
    client: createClient({ baseUrl }),
    store,
    databaseUrl: database.url,
    logged,
    async close() {
      await app.close();
      await work.close();
      await bus.close();
      await store.close();
      await nats.close();
      await database.close();
      await rm(blobDir, { recursive: true, force: true });
    },
  };
}

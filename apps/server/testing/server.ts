import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announceEvent, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Fence, type Lifetimes, openStore, openWork, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { Registry } from 'prom-client';
import { type AuthSettings, createApp } from '../src/app.ts';
import type { Planners } from '../src/chat/plan.ts';
import type { StreamSettings } from '../src/http/stream-places.ts';
import type { QuotaSettings } from '../src/sessions/quotas.ts';

export type TestServer = {
  baseUrl: string;
  client: Client;
  store: Store;
  databaseUrl: string;
  blobDir: string;
  nats: NatsForTest;
  /** What the server logged, a line each. */
  logged: string[];
  /** A second server on the same database and bus; closed with this one. */
  another(options?: Partial<Options>): Promise<TestServer>;
  close(): Promise<void>;
};

type Options = {
  isAuthDisabled: boolean;
  /** Limits are far away unless a test brings them near. */
  limits?: Partial<AuthSettings['limits']>;
  lifetimes?: Lifetimes;
  trustedProxies?: string[];
  quotas?: Partial<QuotaSettings>;
  streams?: Partial<StreamSettings>;
  /** Where false, there is nothing to seal browser states with. */
  hasProfileKey?: boolean;
  planners?: Planners;
  onCancelled?: (fence: Fence) => void;
  hasRouteHook?: boolean;
  /** Off where it is measured how long an answer takes. */
  checksReplies?: boolean;
};
type Ground = { database: TestDatabase; nats: NatsForTest };

const far = 1_000_000;
const profileKey = Buffer.alloc(32, 7);
const noLimits = {
  loginPerIdentifier: far,
  loginPerAddress: far,
  registerPerAddress: far,
  refreshPerFamily: far,
  refreshPerAddress: far,
};

/** The real interface on a real port, with a database and a bus of its own. */
export async function startTestServer(options: Options): Promise<TestServer> {
  const ground = { database: await createTestDatabase(), nats: await startNats({ hosts: ['browser-1'] }) };
  const others: TestServer[] = [];
  const server = await startOn(ground, options);
  return {
    ...server,
    async another(changed = {}) {
      const other = await startOn(ground, { ...options, ...changed });
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([...others, server].map((one) => one.close()));
      await ground.nats.close();
      await ground.database.close();
    },
  };
}

async function startOn({ database, nats }: Ground, options: Options): Promise<TestServer> {
  const {
    isAuthDisabled,
    limits,
    lifetimes,
    trustedProxies = [],
    hasRouteHook,
    checksReplies = true,
    quotas,
    streams,
    planners,
    onCancelled,
  } = options;
  const blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
  const logged: string[] = [];
  const log = createLog('server', 'info', { write: (line) => void logged.push(line) });
  const store = openStore({
    url: database.url,
    blobDir,
    onError: (error) => log.warn(error),
    onChanged: (id, seq, events) => announceEvent(bus, id, seq, events),
    lifetimes,
    profileKeys: options.hasProfileKey === false ? [] : [profileKey],
  });
  await store.users.ensureLocal();
  const bus = await connectBus({ ...nats.as('server'), name: 'test server' });
  const onLog = (level: 'warn' | 'error', message: unknown) => log[level]({ engine: message }, 'engine');
  const work = await openWork({ url: database.url, onLog });
  const auth = {
    minPasswordLength: 8,
    accessSecs: lifetimes?.accessSecs ?? 900,
    limits: { ...noLimits, ...limits },
    trustedProxies,
  };
  const app = await createApp({
    store,
    bus,
    work,
    log,
    metrics: new Registry(),
    version: 'test',
    isAuthDisabled,
    auth,
    quotas: { tasks: far, sessions: far, profiles: far, ...quotas },
    streams: { perUser: far, perAddress: far, ...streams },
    planners,
    onCancelled,
    hasRouteHook,
    checksReplies,
  });
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });

  return {
    baseUrl,
    client: createClient({ baseUrl }),
    store,
    databaseUrl: database.url,
    blobDir,
    nats,
    logged,
    another: () => Promise.reject(new Error('ask the first server for another')),
    async close() {
      await app.close();
      await work.close();
      await bus.close();
      await store.close();
      await rm(blobDir, { recursive: true, force: true });
    },
  };
}

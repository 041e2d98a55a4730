// A server for tests: the real HTTP interface on a real port, with a database and a bus of its own.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announceEvent, announceWork, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import type { Registration } from '@pilothouse/contract';
import { deriveSeed, signerOf } from '@pilothouse/evidence';
import { createLog } from '@pilothouse/process';
import { type Client, createClient } from '@pilothouse/sdk';
import {
  type Blobs,
  type DriverChange,
  type Lifetimes,
  type ModelLimits,
  openStore,
  type Store,
} from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { Registry } from 'prom-client';
import { type Options as AppOptions, createApp } from '../src/app.ts';
import type { AuthSettings } from '../src/auth/mount.ts';
import type { UnsentSettings } from '../src/delivery/unsent.ts';
import type { CallLimitSettings } from '../src/http/call-limits.ts';
import type { QuotaSettings } from '../src/sessions/quotas.ts';
import type { StreamSettings } from '../src/sse/stream-limits.ts';

/** A built console in small: no test of the server reads more of it. */
const consoleDir = join(import.meta.dirname, 'console');

export type TestServer = {
  baseUrl: string;
  client: Client;
  store: Store;
  databaseUrl: string;
  blobDir: string;
  nats: NatsForTest;
  metrics: Registry;
  /** The log lines of the server. */
  logged: string[];
  /** A second server on the same database and bus; closed with this one. */
  another(options?: Partial<Options>): Promise<TestServer>;
  close(): Promise<void>;
};

type Options = {
  isAuthDisabled: boolean;
  registration?: Registration;
  /** Limits are very high unless a test sets them. */
  limits?: Partial<AuthSettings['limits']>;
  lifetimes?: Lifetimes;
  trustedProxies?: string[];
  quotas?: Partial<QuotaSettings>;
  installation?: AppOptions['installation'];
  modelLimits?: ModelLimits;
  callLimits?: Partial<CallLimitSettings>;
  streams?: Partial<StreamSettings>;
  unsent?: Partial<UnsentSettings>;
  allowedHosts?: string[];
  departure?: AppOptions['departure'];
  /** If false, there is no key to seal browser states with. */
  hasProfileKey?: boolean;
  examples?: AppOptions['examples'];
  planners?: AppOptions['planners'];
  onCancelled?: (fence: DriverChange) => void;
  hasRouteHook?: boolean;
  /** Off in tests that measure times. */
  checksReplies?: boolean;
  /** Where its blobs lie, if not in a folder of its own. */
  blobs?: Blobs;
};
type Services = { database: TestDatabase; nats: NatsForTest };

const far = 1_000_000;
const profileKey = Buffer.alloc(32, 7);
const noLimits = {
  loginPerIdentifier: far,
  loginPerAddress: far,
  registerPerAddress: far,
  refreshPerFamily: far,
  refreshPerAddress: far,
};
const noQuotas = {
  tasks: far,
  sessions: far,
  profiles: far,
  fileBytes: 1000 * far,
  stateBytes: 1000 * far,
  pictureBytes: 1000 * far,
};

export async function startTestServer(options: Options): Promise<TestServer> {
  const services = { database: await createTestDatabase(), nats: await startNats({ hosts: ['browser-1'] }) };
  const others: TestServer[] = [];
  const server = await startOn(services, options);
  return {
    ...server,
    async another(changed = {}) {
      const other = await startOn(services, { ...options, ...changed });
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([...others, server].map((one) => one.close()));
      await services.nats.close();
      await services.database.close();
    },
  };
}

async function startOn({ database, nats }: Services, options: Options): Promise<TestServer> {
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
    registration = 'open',
  } = options;
  const blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
  const logged: string[] = [];
  const log = createLog('server', 'info', { write: (line) => void logged.push(line) });
  const store = openStore({
    url: database.url,
    ...(options.blobs ? { blobs: options.blobs } : { blobDir }),
    onError: (error) => log.warn(error),
    onChanged: (id, seq, events) => announceEvent(bus, id, seq, events),
    onQueued: () => announceWork(bus),
    lifetimes,
    profileKeys: options.hasProfileKey === false ? [] : [profileKey],
  });
  await store.users.ensureLocal();
  const bus = await connectBus({ ...nats.as('server'), name: 'test server' });
  const auth = {
    registration,
    minPasswordLength: 8,
    accessSecs: lifetimes?.accessSecs ?? 900,
    refreshIdleSecs: lifetimes?.refreshIdleSecs ?? 1_209_600,
    limits: { ...noLimits, ...limits },
    trustedProxies,
  };
  const metrics = new Registry();
  const app = await createApp({
    store,
    bus,
    log,
    metrics,
    version: 'test',
    isAuthDisabled,
    auth,
    quotas: { ...noQuotas, ...quotas },
    modelLimits: options.modelLimits,
    installation: options.installation,
    callLimits: { write: far, input: far, look: far, ...options.callLimits },
    streams: { perUser: far, perAddress: far, ...streams },
    unsent: { perUserBytes: far * far, perAddressBytes: far * far, ...options.unsent },
    allowedHosts: options.allowedHosts,
    examples: options.examples,
    consoleDir,
    hasProfileKey: options.hasProfileKey !== false,
    evidenceSigners: options.hasProfileKey === false ? [] : [signerOf(deriveSeed(profileKey))],
    planners,
    onCancelled,
    hasRouteHook,
    checksReplies,
    departure: options.departure,
  });
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });

  return {
    baseUrl,
    client: createClient({ baseUrl }),
    store,
    databaseUrl: database.url,
    blobDir,
    nats,
    metrics,
    logged,
    another: () => Promise.reject(new Error('ask the first server for another')),
    async close() {
      await app.close();
      await bus.close();
      await store.close();
      await rm(blobDir, { recursive: true, force: true });
    },
  };
}

import { freePort } from '../../testkit/stack/ports.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { closeCalls } from './auth.calls.ts';
import {
  endStreams,
  floodLogins,
  forgeAddresses,
  logOutElsewhere,
  raceLimit,
  raceRefresh,
  raceRegister,
  type Servers,
  timeLogins,
} from './auth.ts';

/** Limits that nothing here reaches, but for the one that is being looked at. */
const far = '1000000';
const raised = {
  LOGIN_LIMIT_PER_IDENTIFIER: far,
  LOGIN_LIMIT_PER_ADDRESS: far,
  REGISTER_LIMIT_PER_ADDRESS: far,
  REFRESH_LIMIT_PER_FAMILY: far,
  REFRESH_LIMIT_PER_ADDRESS: far,
  LOG_LEVEL: 'warn',
};

/** Authentication on two servers that are processes of their own. The small size has a tenth of everything. */
export async function attackAuth(name: string, { isSmall }: { isSmall: boolean }) {
  const sized = (full: number) => (isSmall ? full / 10 : full);
  try {
    const main = await onTwoServers(`${name}-main`, raised, async (servers, stack) => {
      const figures = {
        refresh: await raceRefresh(servers, { rounds: sized(500), clients: 20 }),
        timing: await timeLogins(servers, sized(1000)),
        flood: await floodLogins(servers, sized(200)),
        logout: await logOutElsewhere(servers, { uses: sized(1000), isAll: false }),
        logoutAll: await logOutElsewhere(servers, { uses: sized(1000), isAll: true }),
        streams: await endStreams(servers, sized(100)),
        register: await raceRegister(servers, sized(200)),
      };
      await stack.kill('nats');
      return { ...figures, streamsWithoutBus: await endStreams(servers, sized(100)) };
    });
    const limit = await onTwoServers(`${name}-limit`, { ...raised, LOGIN_LIMIT_PER_IDENTIFIER: '10' }, (servers) =>
      raceLimit(servers, { keys: sized(50), tries: 200 }),
    );
    const forged = await onTwoServers(`${name}-forged`, { ...raised, LOGIN_LIMIT_PER_ADDRESS: '100' }, (servers) =>
      forgeAddresses(servers, 1000),
    );
    const figures = { ...main, limit, forged };
    return { isGood: isGood(figures) && (isSmall || isTimingEven(figures)), figures };
  } finally {
    closeCalls();
  }
}

type Figures = {
  refresh: Awaited<ReturnType<typeof raceRefresh>>;
  timing: Awaited<ReturnType<typeof timeLogins>>;
  flood: Awaited<ReturnType<typeof floodLogins>>;
  logout: Awaited<ReturnType<typeof logOutElsewhere>>;
  logoutAll: Awaited<ReturnType<typeof logOutElsewhere>>;
  streams: Awaited<ReturnType<typeof endStreams>>;
  streamsWithoutBus: Awaited<ReturnType<typeof endStreams>>;
  register: Awaited<ReturnType<typeof raceRegister>>;
  limit: Awaited<ReturnType<typeof raceLimit>>;
  forged: Awaited<ReturnType<typeof forgeAddresses>>;
};

/** Few samples say nothing of it. */
const isTimingEven = ({ timing: { auc } }: Figures): boolean => auc >= 0.45 && auc <= 0.55;

function isGood({
  refresh,
  flood,
  logout,
  logoutAll,
  streams,
  streamsWithoutBus,
  register,
  limit,
  forged,
}: Figures): boolean {
  const allClosed = [streams, streamsWithoutBus].every(
    ({ count, closed, lastMs }) => closed === count && lastMs < 2000,
  );
  return (
    refresh.refused === 0 &&
    refresh.outlived === 0 &&
    String(refresh.successors) === '1' &&
    flood.floodedMs <= Math.max(50, 10 * flood.quietMs) &&
    flood.other === 0 &&
    flood.refused === flood.refusedWithRetryAfter &&
    logout.accepted + logoutAll.accepted === 0 &&
    allClosed &&
    register.created === 1 &&
    register.existed === register.count - 1 &&
    String(limit.passed) === '10' &&
    forged.passed === 100
  );
}

async function onTwoServers<T>(
  name: string,
  settings: Record<string, string>,
  work: (servers: Servers, stack: { kill(part: string): Promise<void> }) => Promise<T>,
): Promise<T> {
  Object.assign(process.env, settings);
  return withStack(name, async (stack) => {
    const port = await freePort();
    await stack.up({ port, servers: 2, agents: 0, browsers: 0, disableAuth: false });
    return work([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`], stack);
  });
}

import { freePort } from '../../testkit/stack/ports.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { closeCalls } from '../auth/auth.calls.ts';
import type { Servers } from '../auth/auth.ts';
import {
  cancelInTurn,
  raceCancel,
  raceSameChat,
  raceSessionQuota,
  raceTaskQuota,
  timesOverloaded,
} from './commands.ts';

/** Commands on two servers that are processes of their own; the last with an agent and a browser. */
export async function raceCommands(name: string, { isSmall }: { isSmall: boolean }) {
  process.env.LOG_LEVEL ??= 'warn';
  try {
    const races = await onServers(`${name}-races`, 0, async (servers) => ({
      sameChat: await raceSameChat(servers, isSmall ? 50 : 500),
      taskQuota: await raceTaskQuota(servers, 200),
      sessionQuota: await raceSessionQuota(servers, 200),
      cancel: await raceCancel(servers, { rounds: isSmall ? 5 : 50, clients: 20 }),
    }));
    const inTurn = await onServers(`${name}-turn`, 1, cancelInTurn);
    const figures = { ...races, inTurn, overloaded: timesOverloaded() };
    return { isGood: isGood(figures), figures };
  } finally {
    closeCalls();
  }
}

type Figures = {
  sameChat: Awaited<ReturnType<typeof raceSameChat>>;
  taskQuota: Awaited<ReturnType<typeof raceTaskQuota>>;
  sessionQuota: Awaited<ReturnType<typeof raceSessionQuota>>;
  cancel: Awaited<ReturnType<typeof raceCancel>>;
  inTurn: Awaited<ReturnType<typeof cancelInTurn>>;
};

const isGood = ({ sameChat, taskQuota, sessionQuota, cancel, inTurn }: Figures): boolean =>
  Object.keys(sameChat.statuses).join() === '202' &&
  sameChat.tasks === 1 &&
  sameChat.sessions === 1 &&
  sameChat.otherBody === 409 &&
  taskQuota.tasks === 20 &&
  taskQuota.statuses[429] === 180 &&
  sessionQuota.sessions === 50 &&
  sessionQuota.statuses[429] === 150 &&
  cancel.done === cancel.rounds &&
  cancel.other === 0 &&
  String(inTurn.codes) === '200,200,409,409,409' &&
  String(inTurn.statuses) === 'cancelled,cancelled,success' &&
  inTurn.skippedWithoutStart &&
  String(inTurn.sessions) === 'idle live,closed cold';

const onServers = <T>(name: string, hands: number, work: (servers: Servers) => Promise<T>): Promise<T> =>
  withStack(name, async (stack) => {
    const port = await freePort();
    await stack.up({ port, servers: 2, agents: hands, browsers: hands, disableAuth: false });
    return work([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]);
  });

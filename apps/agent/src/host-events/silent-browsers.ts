// Browsers that a server does not reach. An agent asks their host, with more patience, and gives up those that are gone.

import { type Bus, browserSilent, queues, type SilentBrowser } from '@pilothouse/bus';
import { isId } from '@pilothouse/contract';
import {
  askUntilHeard,
  createHostClient,
  isSilent,
  markBrowserGone,
  reunionMs,
  type SilenceOptions,
} from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { bus: Bus; store: Store; log: Log; silence?: SilenceOptions };

const statusMs = 5000;

export function startSilentBrowsers({ bus, store, log, silence }: Options) {
  const hosts = createHostClient(bus);
  /** Hosts that are being asked, each once for all of its sessions. */
  const asked = new Map<string, Promise<(sessionId: string) => boolean>>();
  /** Sessions that are being looked at: servers repeat what they say. */
  const underWay = new Map<string, Promise<void>>();

  /** Which sessions are gone from this host: all of a host that is silent, none of one that answers late. */
  async function askHost(hostId: string): Promise<(sessionId: string) => boolean> {
    const result = await askUntilHeard(() => hosts.status(hostId, { timeoutMs: statusMs }), silence);
    // After this agent itself came back to the bus, silence says nothing of a host.
    if (isSilent(result)) return () => bus.steadyForMs() > reunionMs;
    if (result.type !== 'done' || !result.reply.status) return () => false;
    const held = new Set(result.reply.status.sessions.map(({ session_id }) => session_id));
    return (sessionId) => !held.has(sessionId);
  }
  function askOnce(hostId: string): Promise<(sessionId: string) => boolean> {
    const present = asked.get(hostId);
    if (present) return present;
    const asking = askHost(hostId).finally(() => asked.delete(hostId));
    asked.set(hostId, asking);
    return asking;
  }

  async function decide({ session_id: sessionId, host_id: hostId, epoch }: SilentBrowser): Promise<void> {
    const isGone = await askOnce(hostId);
    if (!isGone(sessionId) || !(await markBrowserGone(store, { sessionId, hostId, epoch }))) return;
    log.info({ session_id: sessionId, host_id: hostId }, 'gave up a browser whose host does not answer');
  }

  function look(silent: SilentBrowser): void {
    const { session_id: sessionId, host_id: hostId } = silent;
    if (!isId(sessionId) || underWay.has(sessionId)) return;
    const deciding = decide(silent)
      .catch((error) => log.warn({ err: error, session_id: sessionId, host_id: hostId }, 'could not ask a silent host'))
      .finally(() => underWay.delete(sessionId));
    underWay.set(sessionId, deciding);
  }

  const heard = bus.subscribe(browserSilent, {}, look, { queue: queues.silent });
  return {
    ready: heard.ready,
    async close() {
      heard.close();
      await Promise.all(underWay.values());
    },
  };
}

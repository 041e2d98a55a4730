// A host did not open a browser: all agents avoid it for a while.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Refusal = { sessionId: string; host: { id: string; boot_id: string }; epoch: number; refusal: string };

export function createRefusals({ store, log }: { store: Store; log: Log }) {
  /** A host that says it is full is avoided for a while. No other session's browser is closed for it. */
  async function shun({ sessionId, host, epoch }: Refusal): Promise<void> {
    await store.transaction((tx) => store.browsers.release(tx, sessionId, { hostId: host.id, epoch }));
    const secs = await store.hosts.saidFull(host.id, host.boot_id);
    if (secs > 0) log.warn({ host_id: host.id, secs }, 'a host says it is full although it claims room: it is shunned');
  }

  return async function noteRefusal(refused: Refusal): Promise<void> {
    const { sessionId: session_id, host, refusal } = refused;
    log.warn({ session_id, host_id: host.id, refusal }, 'a host did not open the browser');
    if (refusal === 'full') await shun(refused);
    else await store.hosts.lostBrowser(host.id);
  };
}

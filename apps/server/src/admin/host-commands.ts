// The operator's commands for hosts. Each returns what it did, in words.

import type { Store } from '@pilothouse/store';
import { auditData, auditEventOf, plural, Refusal } from './command.ts';

export function createHostCommands(store: Store) {
  return {
    async list(): Promise<string> {
      const hosts = await store.hosts.list();
      const lines = hosts.map(({ id, claimed, allowed, limit, sessions, isShunned }) => {
        const room = claimed === null ? 'away' : `${sessions} of ${allowed} sessions, claims ${claimed}`;
        return [id, room, `limit ${limit ?? 'default'}`, ...(isShunned ? ['shunned'] : [])].join('  ');
      });
      return [plural(hosts.length, 'host'), ...lines].join('\n');
    },

    /** A host that joined: its connections end within seconds, and it does not come back under this id. */
    async remove(host: string): Promise<string> {
      const isRemoved = await store.transaction(async (tx) => {
        const found = await store.hostJoins.end(tx, host);
        const outcome = found ? 'success' : 'not_found';
        await store.audit.add({ event: auditEventOf('remove-host'), outcome, data: { ...auditData, host } }, tx);
        return found;
      });
      if (!isRemoved) throw new Refusal(`No host ${host} joined by itself, or it was removed before.`);
      return `${host} is removed. If it was broken into, also change HOST_JOIN_KEYS: its secret can bring a new host.`;
    },

    /** Counts from the host's next heartbeat on. Its sessions stay; it gets no more than the limit. */
    async setLimit(host: string, maxSessions: number | null): Promise<string> {
      await store.transaction(async (tx) => {
        await store.hosts.setLimit(tx, host, maxSessions);
        const data = { ...auditData, host, max_sessions: maxSessions };
        await store.audit.add({ event: auditEventOf('host'), outcome: 'success', data }, tx);
      });
      return maxSessions === null
        ? `${host} has the default limit`
        : `${host} may hold ${plural(maxSessions, 'session')}`;
    },
  };
}

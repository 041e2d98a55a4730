// What the client of a guest has to be told of JavaScript contexts after a hand-back: only what changed. A context that is told
// to be gone must never be one that its client may go on with: clients say that nothing is there where a read is lost with it.

import type { Context } from './worlds.ts';

type Params = Record<string, unknown>;

export type KnownContexts = {
  /** What the client knows when nothing more is told. */
  start(sessionId: string, contexts: Context[]): void;
  /** A script was not run there. Clients keep what failed in a context, so they have to begin again with it. */
  failed(sessionId: string, method: string, params: Params): void;
  /** The difference between what the client knows and what there is, in events. It is asked once. */
  news(sessionId: string, contexts: Context[]): { method: string; params: Params }[];
};

const everywhere = '*';
const keyOf = ({ id, uniqueId }: Context): string => uniqueId ?? String(id);

export function createKnownContexts(): KnownContexts {
  const known = new Map<string, Context[]>();
  const spoilt = new Set<string>();
  const inSession = (sessionId: string, key: string | number) => `${sessionId} ${key}`;
  return {
    start: (sessionId, contexts) => void known.set(sessionId, contexts),
    failed(sessionId, method, { contextId, executionContextId, uniqueContextId }) {
      const context = uniqueContextId ?? contextId ?? executionContextId;
      // Without a context it is about an object that is there, or about nothing that clients keep.
      if (typeof context === 'string' || typeof context === 'number') spoilt.add(inSession(sessionId, context));
      if (method === 'Runtime.addBinding') spoilt.add(inSession(sessionId, everywhere));
    },
    news(sessionId, contexts) {
      const isSpoilt = ({ id, uniqueId }: Context) =>
        [id, uniqueId ?? id, everywhere].some((key) => spoilt.has(inSession(sessionId, key)));
      const before = known.get(sessionId) ?? [];
      const now = new Set(contexts.map(keyOf));
      const told = new Set(before.map(keyOf));
      const gone = before.filter((one) => !now.has(keyOf(one)) || isSpoilt(one));
      const come = contexts.filter((one) => !told.has(keyOf(one)) || isSpoilt(one));
      known.delete(sessionId);
      for (const key of spoilt) if (key.startsWith(inSession(sessionId, ''))) spoilt.delete(key);
      return [
        ...gone.map(({ id, uniqueId }) => ({
          method: 'Runtime.executionContextDestroyed',
          params: { executionContextId: id, ...(uniqueId && { executionContextUniqueId: uniqueId }) },
        })),
        ...come.map((context) => ({ method: 'Runtime.executionContextCreated', params: { context } })),
      ];
    },
  };
}

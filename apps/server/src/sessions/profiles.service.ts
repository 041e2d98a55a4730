// Profiles: saved browser states with a name. Each user sees only their own, an admin, too: a state is a login elsewhere.

import {
  AppError,
  type BodyOf,
  isId,
  type Profile,
  type QueryOf,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, ProfileRow, Store } from '@pilothouse/store';
import type { Quotas } from './quotas.ts';

type Routes = typeof routes;

export function createProfilesService({ store, quotas }: { store: Store; quotas: Quotas }) {
  return {
    async list(caller: Caller, query: QueryOf<Routes['listProfiles']>): Promise<ReplyOf<Routes['listProfiles']>> {
      const { rows, nextCursor } = await store.profiles.list(caller.id, query);
      return { success: true, profiles: rows.map(viewProfile), next_cursor: nextCursor };
    },

    async create(caller: Caller, body: BodyOf<Routes['createProfile']>): Promise<ReplyOf<Routes['createProfile']>> {
      const { label, session_id: sessionId } = body;
      if (!isId(sessionId)) throw new AppError('not_found');
      const saved = await store.transaction(async (tx) => {
        const session = await store.sessions.drivenBy(tx, caller, sessionId);
        if (!session) throw new AppError('not_found');
        if (session.status === 'closed') throw conflict('This session is closed, and its browser state is forgotten.');
        if (!store.profiles.isOn) throw conflict('This server keeps no profiles: PROFILE_KEY is not set.');
        const state = await store.browsers.stateOf(tx, sessionId);
        if (!state) throw conflict('The browser of this session has saved nothing yet.');
        const former = await store.profiles.sizeOf(tx, caller.id, { label });
        const grown = Buffer.byteLength(JSON.stringify(state)) - (former ?? 0);
        await quotas.require(tx, caller, { profiles: former === undefined ? 1 : 0, stateBytes: grown });
        return store.profiles.save(tx, caller.id, { label, sessionId, state });
      });
      if (!saved) throw conflict('Another session is writing to this profile.');
      return { success: true, profile: viewProfile(saved) };
    },

    async remove(caller: Caller, id: string): Promise<ReplyOf<Routes['deleteProfile']>> {
      const removed = isId(id) ? await store.profiles.remove(caller.id, id) : undefined;
      if (!removed) throw new AppError('not_found');
      return { success: true };
    },
  };
}
export type ProfilesService = ReturnType<typeof createProfilesService>;

const conflict = (detail: string) => new AppError('conflict', { detail });

/** Without the state itself. */
const viewProfile = ({ id, label, created_at, updated_at }: ProfileRow): Profile => ({
  id,
  label,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

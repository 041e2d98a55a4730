// Who may connect a program to a session: by a ticket that opens one connection, or by a bearer token.

import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, isGuest, localUser, type Store } from '@pilothouse/store';
import type { FastifyRequest } from 'fastify';
import { hashOf, kindOf, newToken } from '../auth/tokens.ts';
import type { Authenticate, From, SentRequest } from '../http/call.ts';
import { bearerOf } from '../http/problem.ts';

type Routes = typeof routes;
type Options = { store: Store; authenticate: Authenticate; isAuthDisabled: boolean };
/** `isGiven`: a person wrote what the program does. */
type Admission = { caller: Caller; isGiven: boolean };

export function createProgramAccess({ store, authenticate, isAuthDisabled }: Options) {
  /** Throws unless the caller may drive the session, and it is open. */
  async function check(caller: Caller, id: string): Promise<void> {
    const session = isId(id) ? await store.transaction((tx) => store.sessions.drivenBy(tx, caller, id)) : undefined;
    if (!session) throw new AppError('not_found');
    if (session.status === 'closed') throw new AppError('conflict', { detail: 'The session is closed.' });
  }

  /** The caller whose ticket this is, with the rights that their login or key still has. */
  async function byTicket(sessionId: string, ticket: string): Promise<Admission> {
    const isOne = kindOf(ticket) === 'ticket' && isId(sessionId);
    const holder = isOne ? await store.programs.takeTicket(sessionId, hashOf(ticket)) : undefined;
    if (!holder) throw new AppError('token_invalid');
    const { userId: id, loginId, keyId, byPerson: isGiven } = holder;
    if (!loginId && !keyId && isAuthDisabled && id === localUser.id) return { caller: localUser, isGiven };
    const valid = loginId ? await store.logins.stillValid([loginId]) : await store.keys.stillValid([keyId ?? '']);
    const role = valid.get(loginId ?? keyId ?? '');
    if (!role) throw new AppError('token_invalid');
    return { caller: loginId ? { id, role, loginId } : { id, role, keyId: keyId ?? '' }, isGiven };
  }

  return {
    check,

    /**
     * The caller of a connection. A ticket is used up by it, and says by itself whether a person wrote the program; who has a token
     * says so with the address.
     */
    async callerOf(
      request: FastifyRequest,
      sessionId: string,
      ticket: string | null,
      isSaidToBeGiven: boolean,
    ): Promise<Admission> {
      // Keys open what they open in the interface.
      const byHeader = async () => ({
        caller: await authenticate(request, { area: 'sessions', access: 'user' }),
        isGiven: isSaidToBeGiven,
      });
      const admission = ticket !== null && !bearerOf(request) ? await byTicket(sessionId, ticket) : await byHeader();
      const { caller, isGiven } = admission;
      if (isGuest(caller)) throw new AppError('token_invalid');
      await check(caller, sessionId);
      return { caller, isGiven };
    },

    async issue(
      caller: Caller,
      id: string,
      { while_driven, steps_by }: BodyOf<Routes['openProgramAccess']>,
      { from, request }: { from: From; request: SentRequest },
    ): Promise<ReplyOf<Routes['openProgramAccess']>> {
      await check(caller, id);
      const ticket = newToken('ticket');
      const holder = {
        userId: caller.id,
        loginId: caller.loginId ?? null,
        keyId: caller.keyId ?? null,
        byPerson: steps_by === 'person',
      };
      const expiresAt = await store.programs.addTicket(id, hashOf(ticket), holder);
      const data = { session_id: id, steps_by };
      const { address } = from;
      await store.audit.add({ event: 'program_ticket', outcome: 'success', userId: caller.id, address, data });
      const { http, ws } = addressesOf(request, id);
      const query = `while_driven=${while_driven}`;
      const cdp = {
        ws_url: `${ws}?${query}&ticket=${ticket}`,
        http_url: http,
        ticket,
        expires_at: expiresAt.toISOString(),
      };
      return { success: true, cdp };
    },
  };
}
export type ProgramAccessService = ReturnType<typeof createProgramAccess>;

/** As the caller reaches this server. */
export function addressesOf({ protocol, host }: SentRequest, id: string): { http: string; ws: string } {
  const path = `${host || 'localhost'}/cdp/${id}`;
  return { http: `${protocol}://${path}`, ws: `${protocol === 'https' ? 'wss' : 'ws'}://${path}` };
}

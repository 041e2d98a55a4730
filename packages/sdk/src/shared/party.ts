import type { BundledEvent, Problem } from '@pilothouse/contract';
import { cursorAfter, followBundle, isLast } from '../bundle.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import type { ConnectionState, StreamEvent } from '../stream.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Follower } from './follower.ts';
import type { Refusal, Wanted } from './messages.ts';
import type { Turns } from './turns.ts';

/** One place in one stream, and everybody who is there. */
type Strand = {
  name: string;
  kind: Wanted['kind'];
  id: string;
  cursor: string | undefined;
  followers: Set<Follower>;
  /** What a newcomer is shown who comes to this very place: the newest frame, and how many watch. */
  passing: Map<string, StreamEvent>;
};

type Options = {
  baseUrl: string;
  login: string;
  turns: Turns;
  fetch: typeof fetch;
  /** Called when nobody follows any more. */
  onEmpty: () => void;
};

/** As many as the interface takes in one response: a test holds it to that. Further ones wait until some are left. */
export const maxCarried = 100;
/** Tabs that come or go together change the response once. */
const settleMs = 40;

/**
 * All that the tabs follow of one login at one server, over one response. When somebody comes or goes, it is opened anew
 * with everybody's cursor, so that nothing is missed and nothing is said twice.
 */
export function createParty({ baseUrl, login, turns, fetch, onEmpty }: Options) {
  const strands = new Map<string, Strand>();
  let names = 0;
  let isRunning = false;
  let reopening = new AbortController();
  let isDue = false;
  let state: ConnectionState | undefined;

  async function run(): Promise<void> {
    while (strands.size > 0) {
      reopening = new AbortController();
      const { signal } = reopening;
      const giveWay = () => {
        tellState('reconnecting', strands.values());
        reopening.abort();
      };
      const turn = await turns.enter(giveWay, signal).catch(() => undefined);
      if (!turn) continue;
      const carried = [...strands.values()].slice(0, maxCarried);
      try {
        await carry(carried, signal);
      } catch (error) {
        // Else it was we who ended it, to open it anew.
        if (!signal.aborted) for (const strand of carried) refuse(strand, toRefusal(error));
      } finally {
        turn.leave();
      }
    }
  }

  async function carry(carried: Strand[], signal: AbortSignal): Promise<void> {
    const onConnection = (next: ConnectionState) => tellState(next, carried);
    const streams = carried.map(({ name, cursor }) => (cursor === undefined ? name : `${name}@${cursor}`));
    // Also what had arrived when it was ended is taken, and only then the next begins.
    for await (const event of followBundle({ streams, connect, signal, onConnection })) take(event);
  }

  function tellState(next: ConnectionState, told: Iterable<Strand>): void {
    state = next;
    for (const { followers } of told) for (const follower of followers) follower.tellState(next);
  }

  function take(event: BundledEvent): void {
    const strand = strands.get(event.stream);
    // Left, or gone together with another, while the response still carries it.
    if (!strand) return;
    if (event.type === 'refused') {
      refuse(strand, { ...noRefusal, problem: event.problem });
      return;
    }
    const cursor = cursorAfter(event);
    strand.cursor = cursor ?? strand.cursor;
    const { type } = event.event;
    if (type === 'frame' || type === 'viewers') strand.passing.set(type, event.event);
    for (const follower of [...strand.followers]) follower.tell(event.event, cursor);
    if (isLast(event)) strands.delete(strand.name);
    // After a reset the server goes on with what nobody asked for.
    if (type === 'reset') reopenSoon();
    else if (cursor !== undefined) joinSame(strand);
  }

  /** Two strands at the same place of one log have the same future: one of them is enough. */
  function joinSame(strand: Strand): void {
    const same = [...strands.values()].find((other) => other !== strand && isAt(other, strand));
    if (!same || !strands.has(strand.name)) return;
    for (const follower of strand.followers) same.followers.add(follower);
    strands.delete(strand.name);
    reopenSoon();
  }

  function refuse(strand: Strand, refusal: Refusal): void {
    strands.delete(strand.name);
    for (const follower of strand.followers) follower.refuse(refusal);
  }

  function reopenSoon(): void {
    if (isDue) return;
    isDue = true;
    const reopen = () => {
      isDue = false;
      reopening.abort();
      if (!isRunning) start();
    };
    setTimeout(reopen, strands.size > 0 ? settleMs : 0);
  }
  function start(): void {
    isRunning = true;
    void run().finally(() => {
      isRunning = false;
      state = undefined;
      // Somebody may have come at the very end.
      if (strands.size > 0) reopenSoon();
      else onEmpty();
    });
  }

  async function connect(streams: string[], signal: AbortSignal): Promise<Response> {
    const headers = await unlessAborted(prove(undefined), signal);
    const response = await ask(streams, headers, signal);
    const refused = response.status === 401 ? headers.authorization : undefined;
    if (refused === undefined) return orRefusal(response);
    const renewed = await unlessAborted(prove(refused), signal);
    return orRefusal(renewed.authorization === undefined ? response : await ask(streams, renewed, signal));
  }

  async function ask(streams: string[], headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const address = new URL('/api/streams', baseUrl);
    for (const stream of streams) address.searchParams.append('stream', stream);
    return fetch(address, { headers: { ...headers, accept: 'text/event-stream' }, signal }).catch((error: unknown) => {
      throw error instanceof TypeError ? new ConnectionError(`cannot reach ${baseUrl}`, error) : error;
    });
  }

  /** What any of the tabs has to show; nothing, where the login of all of them is over. */
  async function prove(refused: string | undefined): Promise<Record<string, string>> {
    const tabs = new Set([...strands.values()].flatMap(({ followers }) => [...followers].map(({ tab }) => tab)));
    const answers = [...tabs].map(async (tab) => {
      const proof = await tab.prove(login, refused);
      return typeof proof === 'string' ? Promise.reject(proof) : proof.headers;
    });
    return Promise.any(answers).catch(({ errors }: AggregateError) => {
      if (errors.includes('later')) throw new ConnectionError('no tab could say who asks');
      return {};
    });
  }

  return {
    add(follower: Follower, { kind, id, cursor }: Wanted): void {
      const there = [...strands.values()].find((strand) => isAt(strand, { kind, id, cursor }));
      if (there) {
        there.followers.add(follower);
        if (state) follower.tellState(state);
        for (const event of there.passing.values()) follower.tell(event, undefined);
        return;
      }
      names += 1;
      const name = `${kind}:${id}~${names}`;
      strands.set(name, { name, kind, id, cursor, followers: new Set([follower]), passing: new Map() });
      reopenSoon();
    },

    remove(follower: Follower): void {
      for (const strand of strands.values()) {
        if (!strand.followers.delete(follower) || strand.followers.size > 0) continue;
        strands.delete(strand.name);
        reopenSoon();
      }
    },
  };
}
export type Party = ReturnType<typeof createParty>;

type Place = Pick<Strand, 'kind' | 'id' | 'cursor'>;

/** Cursors are opaque, but two that are the same are the same place. */
const isAt = (one: Place, other: Place) =>
  one.cursor !== undefined && one.cursor === other.cursor && one.kind === other.kind && one.id === other.id;

const noRefusal: Refusal = { problem: undefined, message: '', retryAfterSecs: undefined };

/** As a tab can be told of it: errors do not pass a channel as what they are. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  return { ...noRefusal, message: error instanceof Error ? error.message : String(error) };
}

class Refused extends ApiError {
  readonly refusal: Refusal;
  constructor(problem: Problem, retryAfterSecs: number | undefined) {
    super(problem, retryAfterSecs);
    this.refusal = { problem, message: problem.detail, retryAfterSecs };
  }
}

/** The tabs know the contract and check what they are told; here it is enough to tell a refusal of ours from others. */
async function orRefusal(response: Response): Promise<Response> {
  if (response.ok) return response;
  const problem: Problem | undefined = await response.json().catch(() => undefined);
  if (typeof problem?.code !== 'string') throw new ConnectionError(`answered ${response.status} without a reason`);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new Refused(problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

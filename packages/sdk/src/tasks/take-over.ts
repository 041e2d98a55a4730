// Drives the browser of a session in place of the agent: takes over, sends numbered input, hands back. No input is done twice.

import type { GrantedTakeover, Takeover } from '@pilothouse/contract';
import type { Client } from '../client/client.ts';
import { untilItPasses } from '../common/again.ts';
import { ApiError, willPass } from '../common/errors.ts';

type Pointer = Parameters<Client['movePointer']>[0];
type OneOf<T> = T extends { action: string } ? T : never;
/** One thing that a person does, without its number: `{ action: 'click', x: 640, y: 300 }`. */
export type InputAction = Named<OneOf<Extract<Pointer, { actions: unknown[] }>['actions'][number]>>;
/** Distributed over the union, so that each action keeps its own fields. */
type Named<T> = T extends unknown ? Omit<T, 'takeover_id' | 'client_id' | 'epoch' | 'input_seq'> : never;

export type TakeOverInput = (
  | { session_id: string }
  /** `now`: the running step is interrupted; otherwise the agent ends it first. */
  | { task_id: string; now?: boolean }
) & { reason?: string; expires_in_secs?: number };

/** The browser is the caller's. */
export type Driving = {
  readonly takeover: Takeover;
  readonly sessionId: string;
  /**
   * Does these in order, and resolves when the browser has done them. Sent again until answered, for a minute at most, also
   * while the browser does not answer; the host does each once. Throws `ApiError` with `takeover_conflict` if the caller drives no
   * longer, and with `conflict` if the browser did not do it or was opened again: then look at the page first.
   */
  input(...actions: InputAction[]): Promise<void>;
  /** Says that the driver is still there, without input. */
  renew(): Promise<void>;
  /** Hands the browser back, with words for the agent. */
  handBack(note?: string): Promise<void>;
};

type Options = { signal?: AbortSignal; waitMs?: number };

/** Resolves once the host has confirmed that nothing of the former driver goes on. */
export async function takeOver(
  client: Client,
  input: TakeOverInput,
  { signal, waitMs = 120_000 }: Options = {},
): Promise<Driving> {
  const client_id = newClientId();
  const late = AbortSignal.timeout(waitMs);
  const both = signal ? AbortSignal.any([signal, late]) : late;
  const asked = await ask(client, { ...input, client_id }, both);
  const takeover = await whenActive(client, asked, both);
  const { sessionId: id } = asked;
  let { epoch } = takeover;
  let next = 1;

  /** After a refusal it is not known what was done: the host is asked for its last number. */
  const recount = async () => {
    const counted = await client.setTakeoverClient({ id, client_id, takeover_id: takeover.takeover_id }, { signal });
    epoch = counted.takeover.epoch;
    next = (counted.takeover.last_input_seq ?? 0) + 1;
  };

  return {
    get takeover() {
      return { ...takeover, epoch };
    },
    sessionId: id,
    async input(...actions) {
      const names = { takeover_id: takeover.takeover_id, client_id, epoch };
      const numbered = actions.map((action, index) => ({ ...action, ...names, input_seq: next + index }));
      try {
        // The fields are those of the contract's actions, to which the names and the number belong.
        const send = () => client.movePointer({ id, actions: numbered } as Pointer, { signal });
        await untilItPasses(send, { signal, isPassing: isPassingInput });
        next += actions.length;
      } catch (error) {
        if (!signal?.aborted) await recount().catch(() => {});
        throw error;
      }
    },
    async renew() {
      await client.renewTakeover({ id, takeover_id: takeover.takeover_id }, { signal });
    },
    async handBack(note) {
      if ('task_id' in input) await client.resumeTakeover({ id: input.task_id, note }, { signal });
      else await client.resumeSessionTakeover({ id, note }, { signal });
    },
  };
}

/** Also a browser that does not answer now: its numbers may be sent again, and its epoch keeps them from another page. */
const isPassingInput = (error: unknown): boolean =>
  willPass(error) || (error instanceof ApiError && error.retryAfterSecs !== undefined);

type Asked = { takeover: GrantedTakeover; sessionId: string };

async function ask(
  client: Client,
  { reason, expires_in_secs, client_id, ...of }: TakeOverInput & { client_id: string },
  signal: AbortSignal,
): Promise<Asked> {
  const wanted = { reason, expires_in_secs, client_id };
  if ('session_id' in of) {
    const { takeover } = await client.requestSessionTakeover({ id: of.session_id, ...wanted }, { signal });
    return { takeover, sessionId: of.session_id };
  }
  const id = of.task_id;
  const { status } = await client.getTaskStatus({ id }, { signal });
  const { takeover } = of.now
    ? await client.signalTakeover({ id, client_id, message: reason }, { signal })
    : await client.requestTakeover({ id, ...wanted }, { signal });
  if (!takeover) throw new TypeError('the task has ended: take over its session');
  return { takeover, sessionId: status.session_id };
}

async function whenActive(client: Client, { takeover, sessionId }: Asked, signal: AbortSignal): Promise<Takeover> {
  if (takeover.status === 'active') return takeover;
  const leaving = new AbortController();
  const stream = client.followSession({ id: sessionId }, { signal: AbortSignal.any([signal, leaving.signal]) });
  try {
    for await (const event of stream) {
      const seen =
        event.type === 'snapshot' ? event.snapshot.takeover : event.type === 'takeover' ? event.takeover : null;
      if (seen?.takeover_id !== takeover.takeover_id) continue;
      if (seen.status === 'active') return seen;
      if (seen.status === 'ended') throw new Error('the takeover ended before it began');
    }
  } finally {
    leaving.abort();
  }
  throw new Error('the session ended before the takeover began');
}

const newClientId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-');

// Several streams in one response: each has the rights, the cursor and the end that it has alone.

import { AppError, errors, ownInbox, readBundledStream, routes } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';
import { problemOf } from '../http/problem.ts';
import type { Serve } from '../http/serve.ts';
import type { EventStream } from '../sse/event-stream.ts';
import { openStrand } from './bundle.ts';

type Follow = (stream: EventStream) => Promise<void>;
type BundledStream = NonNullable<ReturnType<typeof readBundledStream>>;
type Follows = {
  live: (caller: Caller | Guest, id: string, cursor: string | undefined) => Promise<Follow>;
  task: (caller: Caller, id: string, cursor: string | undefined) => Promise<Follow>;
  inbox: (caller: Caller, cursor: string | undefined) => Promise<Follow>;
};

export function bundleRoutes(serve: Serve, { live, task, inbox }: Follows) {
  async function find(caller: Caller | Guest, name: string) {
    // The contract has checked the spelling.
    const stream = readBundledStream(name) ?? { name, kind: 'live' as const, id: '', cursor: undefined };
    return { ...stream, follow: await open(caller, stream) };
  }

  function open(caller: Caller | Guest, { kind, id, cursor }: BundledStream): Promise<Follow> {
    if (kind === 'live') return live(caller, id, cursor);
    // A share shows a session, but none of its tasks. Of inboxes, there is only the caller's own.
    if (isGuest(caller) || (kind === 'inbox' && id !== ownInbox)) throw new AppError('not_found');
    return kind === 'inbox' ? inbox(caller, cursor) : task(caller, id, cursor);
  }

  serve.stream(
    routes.followStreams,
    async ({ caller, query, requestId }) => {
      const found = await Promise.allSettled(query.stream.map((name) => find(caller, name)));
      const refusals = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      const failure =
        refusals.find((reason) => !isRefusal(reason)) ?? (refusals.length === found.length && refusals[0]);
      if (failure) throw failure;
      return async (_call, whole) => {
        let open = found.filter(({ status }) => status === 'fulfilled').length;
        const followed = found.map(async (one, index) => {
          if (one.status === 'rejected') {
            const stream = readBundledStream(query.stream[index] ?? '')?.name;
            const problem = problemOf(one.reason, requestId);
            return whole.send({ type: 'refused', data: { type: 'refused', stream, problem } });
          }
          const strand = openStrand(whole, one.value);
          strand.onEnd(() => {
            open -= 1;
            if (open === 0) whole.close();
          });
          await one.value.follow(strand);
        });
        await Promise.all(followed);
      };
    },
    ({ query }) => query.stream.length,
  );
}

/** A refusal concerns this stream only; any other failure concerns all of them. */
const isRefusal = (reason: unknown) => reason instanceof AppError && errors[reason.code].status < 500;

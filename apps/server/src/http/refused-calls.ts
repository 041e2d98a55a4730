// Callers over a limit, until their minute ends. This server refuses their further calls from memory: before it looks up the
// caller, reads the body or asks the database. It answers them later and later, and logs their number instead of each.

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError, Route } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { type OverLimit, overLimit } from './over-limit.ts';

type Kind = NonNullable<Route['limit']>;
/** A caller over one limit: every call of it is refused until then, by the clock of this process. */
type Block = {
  limit: OverLimit;
  fields: Record<string, string | undefined>;
  until: number;
  refused: number;
  delayed: number;
};
type Over = {
  kind: Kind;
  key: string;
  token: string | undefined;
  limit: OverLimit;
  fields: Record<string, string | undefined>;
};
type Options = { log: Log; maxDelayMs?: number };

/** This many calls of a caller are refused without delay; each further one waits longer than the one before. */
const promptRefusals = 20;
const stepMs = 10;
/** More calls of one caller are not held back at the same time: each holds a connection. */
const maxDelayed = 100;
/** More tokens are not remembered: their calls are refused after the caller is looked up. */
const maxTokens = 100_000;
const sweepMs = 10_000;

export function createRefusedCalls({ log, maxDelayMs = 1000 }: Options) {
  const blocks = new Map<string, Block>();
  const byToken = new Map<string, Block>();
  const timer = setInterval(sweep, sweepMs).unref();

  const isOver = ({ until }: Block) => performance.now() >= until;
  const tell = ({ fields, limit, refused }: Block) =>
    refused > 0 && log.info({ ...fields, limit: limit.name, refused }, 'more calls over a limit were refused');

  function sweep(): void {
    for (const [token, block] of byToken) if (isOver(block)) byToken.delete(token);
    for (const [key, block] of blocks) {
      if (!isOver(block)) continue;
      blocks.delete(key);
      tell(block);
    }
  }

  async function refuse(block: Block, response: ServerResponse): Promise<AppError> {
    block.refused += 1;
    await holdBack(block, response);
    const retryAfterSecs = Math.max(1, Math.ceil((block.until - performance.now()) / 1000));
    return overLimit({ ...block.limit, retryAfterSecs });
  }

  async function holdBack(block: Block, response: ServerResponse): Promise<void> {
    const ms = Math.min(maxDelayMs, stepMs * (block.refused - promptRefusals));
    if (ms <= 0 || block.delayed >= maxDelayed) return;
    const left = new AbortController();
    const leave = () => left.abort();
    response.once('close', leave);
    block.delayed += 1;
    // Aborted where the caller has left: then nobody reads the answer.
    await sleep(ms, undefined, { signal: left.signal, ref: false }).catch(() => {});
    block.delayed -= 1;
    response.off('close', leave);
  }

  return {
    /** The refusal of a call whose token is known to be over this limit; undefined for all others. */
    async known(kind: Kind, token: string, response: ServerResponse): Promise<AppError | undefined> {
      const block = byToken.get(nameOf(kind, token));
      return block && !isOver(block) ? refuse(block, response) : undefined;
    },

    /** The refusal of a call that was found over its limit, which further calls with the same token get from memory. */
    remember({ kind, key, token, limit, fields }: Over): AppError {
      const name = `${kind} ${key}`;
      const known = blocks.get(name);
      const isNew = !known || isOver(known);
      if (known && isNew) tell(known);
      const until = performance.now() + limit.retryAfterSecs * 1000;
      const block = isNew ? { limit, fields, until, refused: 0, delayed: 0 } : known;
      blocks.set(name, block);
      if (token !== undefined && byToken.size < maxTokens) byToken.set(nameOf(kind, token), block);
      return overLimit(limit);
    },

    close(): void {
      clearInterval(timer);
      for (const block of blocks.values()) tell(block);
    },
  };
}

/** A token is kept nowhere as it is. */
const nameOf = (kind: Kind, token: string) => `${kind} ${createHash('sha256').update(token).digest('base64')}`;

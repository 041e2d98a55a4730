// One answer, and how many bytes of it wait for its reader. It counts for the bounds of its caller and address.

import type { ServerResponse } from 'node:http';
import { AppError } from '@pilothouse/contract';
import type { Bound, UnsentAccounts } from './unsent-accounts.ts';

/** The most that an answer holds which is made while it is read: pieces in memory, and what the kernel takes. */
export const piecemealBytes = 1024 * 1024;
/** Smaller answers are always sent: a refusal takes as much. */
const smallBytes = 64 * 1024;
const retryAfterSecs = 2;

/** A class: streams are many, and each would have closures of its own. */
export class CountedAnswer {
  readonly #accounts: UnsentAccounts<CountedAnswer>;
  readonly response: ServerResponse;
  readonly bounds: Bound[];
  /** How many bytes it counts for now; set by the accounts. */
  counted = 0;
  #held = 0;
  #isFollowed = false;

  constructor(accounts: UnsentAccounts<CountedAnswer>, response: ServerResponse, bounds: Bound[]) {
    this.#accounts = accounts;
    this.response = response;
    this.bounds = bounds;
  }

  /** Counts bytes that are held in memory until the answer is over. Call it before they are made: throws without room. */
  hold(bytes: number): void {
    if (!this.#fits(bytes)) throw noRoom();
    this.#held += bytes;
    this.#add(bytes);
  }
  /** Gives back held bytes. */
  release(bytes: number): void {
    this.#held -= bytes;
    this.recount();
  }
  /** Counts bytes that are about to be written; then the queue of the connection counts them. False without room. */
  queue(bytes: number): boolean {
    if (bytes < smallBytes) return true;
    if (this.counted > 0) this.recount();
    if (!this.#fits(bytes)) return false;
    this.#add(bytes);
    return true;
  }
  /** Counts bytes that wait and were not counted when they were written. */
  note(): void {
    if (this.counted === 0 && this.response.writableLength >= smallBytes) this.#add(this.response.writableLength);
  }
  /** Throws if there is not even room for a small part of an answer. */
  check(): void {
    if (!this.#fits(piecemealBytes)) throw noRoom();
  }

  /** Counts what waits now. */
  recount(): void {
    const now = this.response.closed ? 0 : this.#held + this.response.writableLength;
    if (now === this.counted) return;
    this.#accounts.remove(this);
    if (now > 0) this.#accounts.add(this, now);
  }
  #fits(bytes: number): boolean {
    return this.#accounts.hasRoom(this.bounds, bytes);
  }
  #add(bytes: number): void {
    // A response that is closed already emits no second `close`.
    if (this.response.destroyed || this.response.closed) return;
    if (!this.#isFollowed) this.response.on('close', () => this.#accounts.remove(this));
    this.#isFollowed = true;
    this.#accounts.add(this, bytes);
  }
}

const noRoom = () =>
  new AppError('overloaded', {
    detail: 'Too much of what you asked for waits to be read. Read it, and try again shortly.',
    retryAfterSecs,
  });

/** Why an answer that is made already is not sent; undefined if there is room for it. */
export const refusalOf = (answer: CountedAnswer, bytes: number): AppError | undefined =>
  answer.queue(bytes) ? undefined : noRoom();

// What is killed while a page of the console is open, and what a run through it is given and returns.

import type { Client } from '@pilothouse/sdk';
import type { Browser } from 'playwright-core';
import type { TickingForm } from '../../testkit/pages/ticking-form.ts';
import type { Random } from '../../testkit/random.ts';

/** What is killed, by its name in the stack. */
export const shots = { server: 'server-1', host: 'browser-1', agent: 'agent-1', nats: 'nats' } as const;
type Part = keyof typeof shots;
export const partNames = Object.keys(shots) as Part[];

export type Shooting = {
  part: Part;
  browser: Browser;
  client: Client;
  baseUrl: string;
  site: TickingForm;
  random: Random;
  /** Which state of the session's browser is saved. */
  savedState: (sessionId: string) => Promise<string | undefined>;
  /** Kills the part, and starts it again; resolves when it is ready. */
  shoot: () => Promise<void>;
};
/** What did not hold, and after how many ms the page showed everything again. */
export type Round = { wrong: string[]; goesOnMs: number };

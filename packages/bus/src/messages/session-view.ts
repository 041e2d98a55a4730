// What a session shows beside its picture: its open pages, and what the page in front asks of a person who drives.
// Servers ask for it and wait for a change, so a page that changes without end cannot flood the bus.

import { CopiedText, DriverView, PageTrouble, PrivateReason } from '@pilothouse/contract';
import { z } from 'zod';
import { Epoch } from './heartbeat.ts';

/** The longest time for which a host keeps a server waiting for a change. */
export const maxViewWaitMs = 10_000;

export const SessionView = z.object({
  /** Another version means another view. Versions of two browsers are never the same. */
  version: z.string(),
  /** What is only for a driver is for the driver under this epoch. */
  epoch: Epoch,
  pages: z.array(
    z.object({
      page: z.string(),
      url: z.string(),
      title: z.string(),
      is_front: z.boolean(),
      /** As in a frame's header: who may see the page may know its address. */
      private: z.boolean(),
      private_reason: PrivateReason.optional(),
      /** No program sees it. */
      private_tab: z.boolean().optional(),
      /** A program is connected, and can read the page. */
      open_to_program: z.boolean().optional(),
      /** Only until its next document. */
      trouble: PageTrouble.optional(),
    }),
  ),
  /** Null while no person drives. */
  driver: DriverView.omit({ epoch: true }).nullable(),
  /** The last text that was copied, for a few seconds. `number` rises with each. */
  copied: CopiedText.extend({ number: z.int().positive() }).nullable(),
});
export type SessionView = z.output<typeof SessionView>;

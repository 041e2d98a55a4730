// Shapes of takeovers.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { IdParam, Uuid7 } from '../types/id.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';
import { TakeoverState } from './states.ts';
import { BrowserRoute } from './view.ts';

/** Names a window of a front end, such as one tab. The client chooses it; it is no secret and gives no rights. */
export const ClientId = text(64, 1);

/** Who drives. The host refuses input under an older epoch. */
export const Takeover = z
  .object({
    takeover_id: Uuid7,
    status: TakeoverState,
    requested_at: Timestamp,
    activated_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    expires_at: Timestamp,
    requested_by: z.string(),
    held_by: z.string().nullable(),
    epoch: Count,
    reason: z.string().nullable(),
    route: BrowserRoute,
    /** The user name of the holder; null while `held_by` is, and where it was not recorded. */
    held_by_name: z.string().nullable().optional(),
    /** The window that counts input: counted input has to name it. Null if the holder named none. */
    client_id: z.string().nullable().optional(),
    /** Rises each time another window counts: of two views of a takeover, the one with the lower number is older. */
    client_no: z.int().optional(),
    /**
     * Only where the holder asks: the number of the last input that the host has accepted under this epoch. The next is
     * one more. Null if the host did not answer.
     */
    last_input_seq: Count.nullable().optional(),
  })
  .meta({ id: 'Takeover' });
export type Takeover = z.infer<typeof Takeover>;

/**
 * As its holder sees it on the way in. A shape of its own, so that the token cannot leak through a read or a stream.
 */
export const GrantedTakeover = Takeover.extend({ resume_token: z.string().optional() }).meta({ id: 'GrantedTakeover' });
export type GrantedTakeover = z.infer<typeof GrantedTakeover>;

export const TakeoverRequest = z
  .object({
    requested_by: text(200, 1).optional(),
    reason: text(1000, 1).optional(),
    expires_in_secs: z.int().min(30).max(3600).default(300),
    client_id: ClientId.optional(),
  })
  .meta({ id: 'TakeoverRequest' });
export type TakeoverRequest = z.infer<typeof TakeoverRequest>;

/** The holder goes on in this window. With `takeover_id`, only in this takeover. */
export const TakeoverClientRequest = z
  .object({ client_id: ClientId, takeover_id: IdParam.optional() })
  .meta({ id: 'TakeoverClientRequest' });
export type TakeoverClientRequest = z.infer<typeof TakeoverClientRequest>;

/** The holder says that they are there. With `takeover_id`, only in this takeover. */
export const TakeoverRenewal = z.object({ takeover_id: IdParam.optional() }).meta({ id: 'TakeoverRenewal' });
export type TakeoverRenewal = z.infer<typeof TakeoverRenewal>;

/** The holder needs no token; another caller who may see the task does. */
export const ResumeRequest = z
  .object({ resume_token: text(512, 1).optional(), note: text(4000, 1).optional() })
  .meta({ id: 'ResumeRequest' });
export type ResumeRequest = z.infer<typeof ResumeRequest>;

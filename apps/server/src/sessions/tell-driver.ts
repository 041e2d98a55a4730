import { type Bus, sessionCommand } from '@pilothouse/bus';
import { type Fence, storableText } from '@pilothouse/store';

/** Whoever takes the wheel waits for this; where it takes longer, an agent does the rest. */
const takeMs = 2500;

/** Tells a host who drives now. True once nothing that was begun under an older epoch goes on there. */
export const createTellDriver =
  (bus: Bus) =>
  async ({ session_id, host_id, epoch }: Fence, { isPerson }: { isPerson: boolean }): Promise<boolean> => {
    const message = { type: 'take', epoch, is_person: isPerson } as const;
    const result = await bus.request(sessionCommand, { host_id, session_id }, message, { timeoutMs: takeMs });
    return result.ok && result.reply.head.ok;
  };
export type TellDriver = ReturnType<typeof createTellDriver>;

const lookMs = 1000;

/** What the last person who drove left: where the browser is, and what they wrote into. Nothing, where it cannot be had. */
export const createLookAfter =
  (bus: Bus) =>
  async ({ session_id, host_id }: Fence): Promise<{ url: string | null; written: string[] } | undefined> => {
    const to = { host_id, session_id };
    const result = await bus.request(sessionCommand, to, { type: 'look' }, { timeoutMs: lookMs });
    const head = result.ok ? result.reply.head : undefined;
    if (!head?.ok || head.type !== 'seen') return undefined;
    const { url } = head.picture.route;
    return { url: url && storableText(url), written: head.written.map(storableText) };
  };
export type LookAfter = ReturnType<typeof createLookAfter>;

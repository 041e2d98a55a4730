import { AppError } from '@pilothouse/contract';
import type { Caller, Store, Tx } from '@pilothouse/store';

/** How much each user may have open at once. */
export type QuotaSettings = { tasks: number; sessions: number; profiles: number };

/** Nobody knows when something of theirs will end; a client that asks this often does no harm. */
const retryAfterSecs = 10;

const names = { tasks: 'open tasks', sessions: 'open sessions', profiles: 'profiles' } as const;
const kinds = ['sessions', 'tasks', 'profiles'] as const;

export function createQuotas({ quotas }: Pick<Store, 'quotas'>, settings: QuotaSettings) {
  async function check(tx: Tx, caller: Caller, added: Partial<QuotaSettings>): Promise<void> {
    const held = await quotas.held(tx, caller.id);
    for (const kind of kinds) {
      if (added[kind] && held[kind] + added[kind] > settings[kind]) throw exceeded(kind, settings[kind]);
    }
  }

  return {
    /** Refuses what would be too much; else nobody can add for this user until the transaction ends. */
    async require(tx: Tx, caller: Caller, added: Partial<QuotaSettings>): Promise<void> {
      // Who is over the quota already is told so without waiting for those who may still get in.
      await check(tx, caller, added);
      await quotas.lock(tx, caller.id);
      await check(tx, caller, added);
    },
  };
}
export type Quotas = ReturnType<typeof createQuotas>;

function exceeded(kind: keyof QuotaSettings, limit: number): AppError {
  const name = names[kind].replace(' ', '_');
  return new AppError('quota_exceeded', {
    detail: `You have ${limit} ${names[kind]}, as many as you may.`,
    retryAfterSecs,
    headers: { 'ratelimit-policy': `"${name}";q=${limit}`, ratelimit: `"${name}";r=0;t=${retryAfterSecs}` },
  });
}

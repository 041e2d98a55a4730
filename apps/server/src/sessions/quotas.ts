// How many open tasks, sessions and profiles each user may have, and how many bytes of files.

import { AppError } from '@pilothouse/contract';
import type { Caller, NewFile, Store, Tx } from '@pilothouse/store';

/** How many of each a user may have at once. */
export type OpenQuotas = { tasks: number; sessions: number; profiles: number };
export type QuotaSettings = OpenQuotas & { fileBytes: number };

/** Nothing tells when a task or session of the user will end; a client that asks this often does no harm. */
const retryAfterSecs = 10;

const names = { tasks: 'open tasks', sessions: 'open sessions', profiles: 'profiles' } as const;
const kinds = ['sessions', 'tasks', 'profiles'] as const;

export function createQuotas({ quotas, files }: Pick<Store, 'quotas' | 'files'>, settings: QuotaSettings) {
  async function check(tx: Tx, caller: Caller, added: Partial<OpenQuotas>): Promise<void> {
    const held = await quotas.held(tx, caller.id);
    for (const kind of kinds) {
      if (added[kind] && held[kind] + added[kind] > settings[kind]) throw exceeded(kind, settings[kind]);
    }
  }

  return {
    /** Refuses what is over the quota. Otherwise no other transaction can add for this user until this one ends. */
    async require(tx: Tx, caller: Caller, added: Partial<OpenQuotas>): Promise<void> {
      // A user over the quota is refused without waiting for the lock.
      await check(tx, caller, added);
      await quotas.lock(tx, caller.id);
      await check(tx, caller, added);
    },

    /** Refuses files over the quota early, before their bytes are stored. The decision is made in `addFile`. */
    async requireFileRoom(caller: Caller, byteLens: readonly number[]): Promise<void> {
      if (!(await files.wouldFit(caller.id, byteLens, settings.fileBytes))) throw fullOfFiles(settings.fileBytes);
    },

    /** Adds a file of a task, or refuses it if it is over the quota. */
    async addFile(tx: Tx, file: NewFile): Promise<void> {
      if (!(await files.add(tx, file, settings.fileBytes))) throw fullOfFiles(settings.fileBytes);
    },
  };
}
export type Quotas = ReturnType<typeof createQuotas>;

const exceeded = (kind: keyof OpenQuotas, limit: number): AppError =>
  refusal(names[kind].replace(' ', '_'), limit, `You have ${limit} ${names[kind]}, as many as you may.`);

/** Purged sessions make room, and so does retention. */
const fullOfFiles = (limit: number): AppError =>
  refusal('file_bytes', limit, `With these your files would take more than ${Math.floor(limit / 1024 ** 2)} MB.`);

const refusal = (name: string, limit: number, detail: string): AppError =>
  new AppError('quota_exceeded', {
    detail,
    retryAfterSecs,
    headers: { 'ratelimit-policy': `"${name}";q=${limit}`, ratelimit: `"${name}";r=0;t=${retryAfterSecs}` },
  });

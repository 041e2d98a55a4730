// How many open tasks, sessions and profiles each user may have, and how many bytes of files, states and pictures.

import { AppError } from '@pilothouse/contract';
import {
  type Caller,
  hasModelLimits,
  type ModelLimits,
  type NewFile,
  noModelLimits,
  type Store,
  type Tx,
  usedUpToday,
} from '@pilothouse/store';

/** How many of each a user may have at once. */
export type OpenQuotas = { tasks: number; sessions: number; profiles: number };
/** With the bytes of a saved state. */
type Added = Partial<OpenQuotas> & { stateBytes?: number };
export type QuotaSettings = OpenQuotas & {
  fileBytes: number;
  /** Of saved browser states, of open sessions and of profiles. */
  stateBytes: number;
  /** Beyond it agents remove the oldest. */
  pictureBytes: number;
};

/** New work is refused only where agents are this much behind with removing pictures: usually nobody is refused for them. */
const pictureSlack = 1.25;

/** Nothing tells when a task or session of the user will end; a client that asks this often does no harm. */
const retryAfterSecs = 10;

const names = { tasks: 'open tasks', sessions: 'open sessions', profiles: 'profiles' } as const;
const kinds = ['sessions', 'tasks', 'profiles'] as const;

export function createQuotas(
  { quotas, files, modelBudget }: Pick<Store, 'quotas' | 'files' | 'modelBudget'>,
  settings: QuotaSettings,
  modelLimits: ModelLimits = noModelLimits,
) {
  async function check(tx: Tx, caller: Caller, added: Added): Promise<void> {
    const held = await quotas.held(tx, caller.id);
    for (const kind of kinds) {
      if (added[kind] && held[kind] + added[kind] > settings[kind]) throw exceeded(kind, settings[kind]);
    }
    const { stateBytes = 0 } = added;
    if (stateBytes > 0 && held.stateBytes + stateBytes > settings.stateBytes) throw fullOfStates(settings.stateBytes);
    const isWork = added.sessions || added.tasks;
    if (isWork && held.pictureBytes > settings.pictureBytes * pictureSlack) throw fullOfPictures(settings.pictureBytes);
  }

  return {
    /** Refuses what is over the quota. Otherwise no other transaction can add for this user until this one ends. */
    async require(tx: Tx, caller: Caller, added: Added): Promise<void> {
      // A user over the quota is refused without waiting for the lock.
      await check(tx, caller, added);
      await quotas.lock(tx, caller.id);
      await check(tx, caller, added);
    },

    /** Refuses a task of a model where the person has used up the budget of the day. */
    async requireModelBudget(tx: Tx, { id }: Caller): Promise<void> {
      if (!hasModelLimits(modelLimits)) return;
      const today = await modelBudget.today(id, tx);
      const detail = usedUpToday(today, modelLimits);
      if (detail) throw new AppError('quota_exceeded', { detail, retryAfterSecs: today.leftSecs });
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
  refusal('file_bytes', limit, `With these your files would take more than ${megabytes(limit)} MB.`);

/** Closed sessions and removed profiles make room. */
const fullOfStates = (limit: number): AppError =>
  refusal(
    'state_bytes',
    limit,
    `With this one your saved browser states would take more than ${megabytes(limit)} MB. Close sessions or remove profiles.`,
  );

const fullOfPictures = (limit: number): AppError =>
  refusal(
    'picture_bytes',
    limit,
    `Your pictures take more than ${megabytes(limit)} MB, and the oldest are being removed. Try again shortly.`,
  );

const megabytes = (bytes: number) => Math.floor(bytes / 1024 ** 2);

const refusal = (name: string, limit: number, detail: string): AppError =>
  new AppError('quota_exceeded', {
    detail,
    retryAfterSecs,
    headers: { 'ratelimit-policy': `"${name}";q=${limit}`, ratelimit: `"${name}";r=0;t=${retryAfterSecs}` },
  });

// The targets that a guest may see: those of the session's context, which looks to it like the default one. It must never
// tell the guest of any other, nor the real id of the context.

/** What the guest knows the context of the session by. */
export const contextAlias = '5E55104C0DE0FA11A5E55104C0DE0FA1';

export type TargetInfo = { targetId: string; type: string; browserContextId?: string };
export type TypeFilter = { type?: string; exclude?: boolean };

const [maxFilter, maxType] = [100, 100];
/** As Chromium has it where a client gives none. */
const usualFilter: TypeFilter[] = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];

export type Targets = {
  has(targetId: unknown): boolean;
  isOwn(info: TargetInfo): boolean;
  /** The target as the guest sees it. */
  shown<T extends TargetInfo>(info: T): T;
  /** Takes an event of the browser. Returns what sessions of the guest are told of it; nothing while that is withheld. */
  take(method: string, params: Record<string, unknown>, isTold: boolean): ToldEvent[];
  /** A session asks to be told of targets, or not any more. Returns what it is told at once. */
  discover(
    sessionId: string,
    filter: readonly TypeFilter[] | undefined,
    how: { isOn: boolean; isTold: boolean },
  ): ToldEvent[];
  forget(sessionId: string): void;
  /** What sessions have to be told after a time in which they were told nothing. */
  news(): ToldEvent[];
};

export type ToldEvent = { sessionId: string; method: string; params: object };

export function createTargets(contextId: string): Targets {
  const known = new Map<string, TargetInfo>();
  /** By the session that asked, with the targets that it was told of. */
  const asked = new Map<string, { filter: readonly TypeFilter[]; told: Set<string> }>();

  const isOwn = ({ browserContextId }: TargetInfo) => browserContextId === contextId;
  const shown = <T extends TargetInfo>(info: T): T =>
    info.browserContextId === undefined ? info : { ...info, browserContextId: contextAlias };

  function tell(info: TargetInfo, method: string, params: object = { targetInfo: shown(info) }): ToldEvent[] {
    return [...asked].flatMap(([sessionId, { filter, told }]) => {
      if (!isWanted(filter, info)) return [];
      const isNew = !told.has(info.targetId);
      if (method === 'Target.targetDestroyed') told.delete(info.targetId);
      else told.add(info.targetId);
      // A session that was not told of it gets to know it now.
      const isCreated = isNew && method === 'Target.targetInfoChanged';
      return [{ sessionId, method: isCreated ? 'Target.targetCreated' : method, params }];
    });
  }

  function catchUp(sessionId: string): ToldEvent[] {
    const { filter, told } = asked.get(sessionId) ?? { filter: [], told: new Set<string>() };
    const gone = [...told].filter((targetId) => !known.has(targetId));
    for (const targetId of gone) told.delete(targetId);
    const now = [...known.values()].filter((info) => isWanted(filter, info));
    const method = ({ targetId }: TargetInfo) =>
      told.has(targetId) ? 'Target.targetInfoChanged' : 'Target.targetCreated';
    const events = [
      ...gone.map((targetId) => ({ sessionId, method: 'Target.targetDestroyed', params: { targetId } })),
      ...now.map((info) => ({ sessionId, method: method(info), params: { targetInfo: shown(info) } })),
    ];
    for (const { targetId } of now) told.add(targetId);
    return events;
  }

  return {
    has: (targetId) => typeof targetId === 'string' && known.has(targetId),
    isOwn,
    shown,
    take(method, params, isTold) {
      const info = params.targetInfo as TargetInfo | undefined; // as the protocol has it
      if (info) {
        if (!isOwn(info)) return [];
        const isNew = !known.has(info.targetId);
        known.set(info.targetId, info);
        return isTold ? tell(info, isNew ? 'Target.targetCreated' : 'Target.targetInfoChanged') : [];
      }
      const gone = known.get(String(params.targetId));
      if (!gone) return [];
      if (method === 'Target.targetDestroyed') known.delete(gone.targetId);
      return isTold ? tell(gone, method, params) : [];
    },
    discover(sessionId, filter = usualFilter, { isOn, isTold }) {
      const isNew = isOn && !asked.has(sessionId);
      if (isOn) asked.set(sessionId, { filter, told: asked.get(sessionId)?.told ?? new Set() });
      else asked.delete(sessionId);
      return isNew && isTold ? catchUp(sessionId) : [];
    },
    forget: (sessionId) => void asked.delete(sessionId),
    news: () => [...asked.keys()].flatMap(catchUp),
  };
}

/** The filter that a client has sent: it is kept, so it must be one. */
export const isFilter = (value: unknown): value is TypeFilter[] =>
  Array.isArray(value) && value.length <= maxFilter && value.every(isTypeFilter);

function isTypeFilter(value: unknown): value is TypeFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type, exclude } = value as Record<string, unknown>;
  return (
    (type === undefined || (typeof type === 'string' && type.length <= maxType)) &&
    (exclude === undefined || typeof exclude === 'boolean')
  );
}

/** The first entry that fits decides. */
function isWanted(filter: readonly TypeFilter[], { type }: TargetInfo): boolean {
  const entry = filter.find((one) => one.type === undefined || one.type === type);
  return entry !== undefined && entry.exclude !== true;
}

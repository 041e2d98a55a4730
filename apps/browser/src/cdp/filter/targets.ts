// The targets that a guest may see: those of the session's context, which looks to it like the default one. It must never
// tell the guest of any other, nor the real id of the context.

/** What the guest knows the context of the session by. */
export const contextAlias = '5E55104C0DE0FA11A5E55104C0DE0FA1';

export type TargetInfo = { targetId: string; type: string; browserContextId?: string };
type TypeFilter = { type?: string; exclude?: boolean };

/** As Chromium has it where a client gives none. */
const usualFilter: TypeFilter[] = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];

export type Targets = {
  has(targetId: unknown): boolean;
  isOwn(info: TargetInfo): boolean;
  /** The target as the guest sees it. */
  shown<T extends TargetInfo>(info: T): T;
  /** Takes an event of the browser. Returns what sessions of the guest are told of it. */
  take(method: string, params: Record<string, unknown>): ToldEvent[];
  /** A session asks to be told of targets, or not any more. Returns what it is told at once. */
  discover(sessionId: string, filter: unknown, isOn: boolean): ToldEvent[];
};

export type ToldEvent = { sessionId: string; method: string; params: object };

export function createTargets(contextId: string): Targets {
  const known = new Map<string, TargetInfo>();
  /** By the session that asked. */
  const filters = new Map<string, TypeFilter[]>();

  const isOwn = ({ browserContextId }: TargetInfo) => browserContextId === contextId;
  const shown = <T extends TargetInfo>(info: T): T =>
    info.browserContextId === undefined ? info : { ...info, browserContextId: contextAlias };
  const told = (info: TargetInfo, method: string, params: object = { targetInfo: shown(info) }): ToldEvent[] =>
    [...filters].filter(([, filter]) => isWanted(filter, info)).map(([sessionId]) => ({ sessionId, method, params }));

  return {
    has: (targetId) => typeof targetId === 'string' && known.has(targetId),
    isOwn,
    shown,
    take(method, params) {
      const info = params.targetInfo as TargetInfo | undefined; // as the protocol has it
      if (info) {
        if (!isOwn(info)) return [];
        const isNew = !known.has(info.targetId);
        known.set(info.targetId, info);
        return told(info, isNew ? 'Target.targetCreated' : 'Target.targetInfoChanged');
      }
      const gone = known.get(String(params.targetId));
      if (!gone) return [];
      if (method === 'Target.targetDestroyed') known.delete(gone.targetId);
      return told(gone, method, params);
    },
    discover(sessionId, wanted, isOn) {
      const isNew = isOn && !filters.has(sessionId);
      const filter: TypeFilter[] = Array.isArray(wanted) ? wanted : usualFilter;
      if (isOn) filters.set(sessionId, filter);
      else filters.delete(sessionId);
      if (!isNew) return [];
      return [...known.values()]
        .filter((info) => isWanted(filter, info))
        .map((info) => ({ sessionId, method: 'Target.targetCreated', params: { targetInfo: shown(info) } }));
    },
  };
}

/** The first entry that fits decides. */
function isWanted(filter: TypeFilter[], { type }: TargetInfo): boolean {
  const entry = filter.find((one) => one.type === undefined || one.type === type);
  return entry !== undefined && entry.exclude !== true;
}

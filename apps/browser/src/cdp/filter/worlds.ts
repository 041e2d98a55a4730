// The JavaScript worlds that a guest may run scripts in: the pages' own, and those that it made itself. The host's worlds
// decide what is masked and what an act would do: a guest must never run there, nor hear of them.

/** Before the names of worlds that a guest makes. It does not see it. */
const prefix = 'guest:';

export type Context = { id: number; uniqueId?: string; name: string; auxData?: { type?: string } };
type Known = { ids: Set<number>; uniqueIds: Set<string>; shown: Map<number, Context> };

export type Worlds = {
  /** The name that a world of the guest really has. */
  named(name: unknown): string;
  /** A context that the guest made and was told of. */
  add(sessionId: string, id: unknown): void;
  /** Whether parameters name no context, or one of the guest's. */
  allows(sessionId: string, params: Record<string, unknown>): boolean;
  /** Takes an event about contexts. Returns it as the guest sees it; undefined where it does not. */
  take(sessionId: string, method: string, params: Record<string, unknown>): Record<string, unknown> | undefined;
  /** The contexts that there are, as the guest sees them. */
  shown(sessionId: string): Context[];
  forget(sessionId: string): void;
};

/** In which events and parameters contexts have a number, and a name that no other has. */
const idKeys = ['contextId', 'executionContextId'];
const uniqueIdKeys = ['uniqueContextId', 'executionContextUniqueId'];

/** What a script of the host throws or writes to the console holds objects of its world, by which a guest could run scripts there. */
const saidInWorlds = new Set(['Runtime.bindingCalled', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown']);
export const isOfWorlds = (method: string): boolean =>
  method.startsWith('Runtime.executionContext') || saidInWorlds.has(method);

/** Of an exception the context stands with its details. */
const contextOf = (params: Record<string, unknown>): Record<string, unknown> =>
  typeof params.exceptionDetails === 'object' ? { ...params.exceptionDetails } : params;

export function createWorlds(): Worlds {
  const sessions = new Map<string, Known>();
  const of = (sessionId: string): Known => {
    const known = sessions.get(sessionId) ?? { ids: new Set(), uniqueIds: new Set(), shown: new Map() };
    sessions.set(sessionId, known);
    return known;
  };

  function created(known: Known, context: Context): Context | undefined {
    const isOwn = context.name.startsWith(prefix);
    // Chromium says `isolated` of every world that is not the page's own.
    if (context.auxData?.type === 'isolated' && !isOwn) return undefined;
    known.ids.add(context.id);
    if (context.uniqueId) known.uniqueIds.add(context.uniqueId);
    const shown = isOwn ? { ...context, name: context.name.slice(prefix.length) } : context;
    known.shown.set(context.id, shown);
    return shown;
  }

  const allows = (sessionId: string, params: Record<string, unknown>) => {
    const { ids, uniqueIds } = of(sessionId);
    return (
      idKeys.every((key) => params[key] === undefined || ids.has(params[key] as number)) &&
      uniqueIdKeys.every((key) => params[key] === undefined || uniqueIds.has(params[key] as string))
    );
  };

  return {
    named: (name) => `${prefix}${typeof name === 'string' ? name : ''}`,
    add(sessionId, id) {
      if (typeof id === 'number') of(sessionId).ids.add(id);
    },
    allows,
    take(sessionId, method, params) {
      const known = of(sessionId);
      if (method === 'Runtime.executionContextCreated') {
        const context = created(known, params.context as Context); // as the protocol has it
        return context && { ...params, context };
      }
      if (method === 'Runtime.executionContextsCleared') {
        known.ids.clear();
        known.uniqueIds.clear();
        known.shown.clear();
        return params;
      }
      const shown = allows(sessionId, contextOf(params)) ? params : undefined;
      if (method === 'Runtime.executionContextDestroyed') {
        known.ids.delete(Number(params.executionContextId));
        known.shown.delete(Number(params.executionContextId));
        known.uniqueIds.delete(String(params.executionContextUniqueId));
      }
      return shown;
    },
    shown: (sessionId) => [...of(sessionId).shown.values()],
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}

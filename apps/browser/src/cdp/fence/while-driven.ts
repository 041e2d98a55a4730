// What a command of a guest gets while another drives the session. Acts are refused and never kept for later: they would be
// done on a page that the guest has not seen.

/** `fail`: words at once, for agents. `wait`: a takeover looks like a page that loads, for scripts that wait by themselves. */
export type WhileDriven = 'fail' | 'wait';

/** `pass`: it touches nothing and tells nothing. `hold`: a read that is done when the guest drives again. */
export type FenceOutcome =
  | { kind: 'pass' }
  | { kind: 'hold' }
  | { kind: 'answer'; result: object }
  | { kind: 'error'; message: string };

/** Who drives instead of the guest, and under which epoch. */
export type Driven = { epoch: number; by: 'person' | 'agent' | 'unknown' };

const drivers = { person: 'a person drives', agent: 'a task drives', unknown: 'another drives' };

/** What a guest is told of everything that is not done for it. */
export const refusalOf = ({ epoch, by }: Driven): string =>
  `${drivers[by]} this session (epoch ${epoch}); nothing was done`;

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** Clients take an error for a context that is gone, and ask again or say that nothing is there. */
const scripts = words('Runtime.evaluate Runtime.callFunctionOn Runtime.runScript Runtime.awaitPromise');

export const isScript = (method: string): boolean => scripts.has(method);

/** Of the connection and of the guest's own sessions. What they switch on speaks by events, and those are withheld. */
const passes = words(`
  Accessibility.disable Accessibility.enable Audits.disable Audits.enable Browser.getVersion Console.disable Console.enable
  CSS.disable CSS.enable DOM.disable DOM.enable DOMStorage.disable DOMStorage.enable Fetch.disable Inspector.disable
  Inspector.enable Log.disable Log.enable Network.disable Network.enable Page.disable Page.enable
  Page.removeScriptToEvaluateOnNewDocument Page.setLifecycleEventsEnabled Performance.disable Performance.enable
  Runtime.disable Runtime.discardConsoleEntries Runtime.enable Runtime.releaseObject Runtime.releaseObjectGroup
  Runtime.removeBinding Runtime.runIfWaitingForDebugger Schema.getDomains Security.disable Security.enable
  ServiceWorker.disable ServiceWorker.enable Target.attachToBrowserTarget Target.detachFromTarget Target.getBrowserContexts
  Target.setAutoAttach Target.setDiscoverTargets
`);

/** What clients ask when they connect or meet a page. A script that is added runs in pages that come, so it waits too. */
const holds = words(`
  Page.addScriptToEvaluateOnNewDocument Page.createIsolatedWorld Page.getFrameTree Page.getLayoutMetrics
  Page.getNavigationHistory Runtime.addBinding Target.attachToTarget Target.getTargetInfo Target.getTargets
`);

/**
 * The title of a page as Playwright asks for it. Whatever goes wrong with that, it says that the title is empty, so it gets no
 * answer before there is a true one: it reads, and nothing else.
 */
export function asTitleRead(method: string, params: Record<string, unknown>): Record<string, unknown> | undefined {
  const isAsked =
    method === 'Runtime.callFunctionOn' &&
    Array.isArray(params.arguments) &&
    params.arguments.some((one: { value?: unknown } | null) => one?.value === '() => document.title');
  return isAsked ? { expression: 'document.title', returnByValue: true } : undefined;
}

/**
 * The script that Playwright puts into each context before it runs anything there. A title that is asked for waits for it, and
 * is said to be empty where it fails. So it gets an object that does not exist: what is asked of that is refused, or held.
 */
export const asHelper = (method: string, { expression }: Record<string, unknown>): object | undefined =>
  method === 'Runtime.evaluate' &&
  typeof expression === 'string' &&
  expression.includes('module.exports.UtilityScript()')
    ? { result: { type: 'object', className: 'UtilityScript', description: 'UtilityScript', objectId: noObject } }
    : undefined;
const noObject = 'pilothouse-not-there';

/** The script by which an action of Playwright finds its element, each time that it tries. */
export const isLocatorRead = (method: string, params: Record<string, unknown>): boolean =>
  method === 'Runtime.callFunctionOn' && JSON.stringify(params.arguments ?? []).includes('locator resolved to');

export function judgeWhileDriven(mode: WhileDriven, method: string, driven: Driven): FenceOutcome {
  const message = refusalOf(driven);
  if (passes.has(method)) return { kind: 'pass' };
  if (mode === 'wait' && holds.has(method)) return { kind: 'hold' };
  return refuse(mode, method, message);
}

/** The same for a command that was under way when another took over. */
export const cutShort = (
  mode: WhileDriven,
  method: string,
  driven: Driven,
): Exclude<FenceOutcome, { kind: 'pass' | 'hold' }> =>
  refuse(mode, method, `${drivers[driven.by]} this session (epoch ${driven.epoch}); what was under way was ended`);

function refuse(mode: WhileDriven, method: string, message: string): Exclude<FenceOutcome, { kind: 'pass' | 'hold' }> {
  if (!isScript(method)) return { kind: 'error', message };
  return mode === 'fail'
    ? { kind: 'answer', result: thrown(message) }
    : { kind: 'error', message: 'Cannot find context with specified id' };
}

/** The answer to a script that threw: the one refusal that no client takes for something else. */
export function thrown(message: string): object {
  const exception = { type: 'object', subtype: 'error', className: 'Error', description: `Error: ${message}` };
  return {
    result: exception,
    exceptionDetails: { exceptionId: 0, text: 'Uncaught', lineNumber: 0, columnNumber: 0, exception },
  };
}

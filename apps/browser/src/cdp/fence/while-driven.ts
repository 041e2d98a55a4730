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

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** Clients take an error for a context that is gone, and ask again or say that nothing is there. */
const scripts = words('Runtime.evaluate Runtime.callFunctionOn Runtime.runScript Runtime.awaitPromise');

/** Of the connection and of the guest's own sessions. What they switch on speaks by events, and those are withheld. */
const passes = words(`
  Accessibility.disable Accessibility.enable Audits.disable Audits.enable Browser.getVersion Console.disable Console.enable
  CSS.disable CSS.enable DOM.disable DOM.enable DOMStorage.disable DOMStorage.enable Fetch.disable Inspector.disable
  Inspector.enable Log.disable Log.enable Network.disable Network.enable Page.disable Page.enable
  Page.removeScriptToEvaluateOnNewDocument Page.setLifecycleEventsEnabled Performance.disable Performance.enable
  Runtime.disable Runtime.discardConsoleEntries Runtime.enable Runtime.releaseObject Runtime.releaseObjectGroup
  Runtime.removeBinding Runtime.runIfWaitingForDebugger Schema.getDomains Security.disable Security.enable
  ServiceWorker.disable ServiceWorker.enable Target.attachToBrowserTarget Target.attachToTarget Target.detachFromTarget
  Target.getBrowserContexts Target.setAutoAttach Target.setDiscoverTargets
`);

/** What clients ask when they connect or meet a page. A script that is added runs in pages that come, so it waits too. */
const holds = words(`
  Page.addScriptToEvaluateOnNewDocument Page.createIsolatedWorld Page.getFrameTree Page.getLayoutMetrics
  Page.getNavigationHistory Runtime.addBinding Target.getTargetInfo Target.getTargets
`);

export function judgeWhileDriven(mode: WhileDriven, method: string, epoch: number): FenceOutcome {
  const message = `another drives this session (epoch ${epoch}); nothing was done`;
  if (passes.has(method)) return { kind: 'pass' };
  if (scripts.has(method))
    return mode === 'fail'
      ? { kind: 'answer', result: thrown(message) }
      : { kind: 'error', message: 'Cannot find context with specified id' };
  if (mode === 'wait' && holds.has(method)) return { kind: 'hold' };
  return { kind: 'error', message };
}

/** The answer to a script that threw: the one refusal that no client takes for something else. */
function thrown(message: string): object {
  const exception = { type: 'object', subtype: 'error', className: 'Error', description: `Error: ${message}` };
  return {
    result: exception,
    exceptionDetails: { exceptionId: 0, text: 'Uncaught', lineNumber: 0, columnNumber: 0, exception },
  };
}

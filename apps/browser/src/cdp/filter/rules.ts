// What is done about each command that is neither simply allowed nor refused. Parameters are checked as well as names: a
// command must never reach a file of this machine, another context, or a way round the guard.

import { isOpenable } from '../../guard/rules/web-url.ts';
import { contextAlias, isFilter, type TargetInfo, type Targets, type ToldEvent } from './targets.ts';
import type { Worlds } from './worlds.ts';

export type Params = Record<string, unknown>;

/** `send`: these parameters instead. `answer`: this without asking Chromium, after these events. `refuse`: why not. */
export type Outcome =
  | { send: Params; reshape?: (result: Params) => Params }
  | { answer: Params; events?: ToldEvent[] }
  | { refuse: string };

export type RuleContext = {
  contextId: string;
  targets: Targets;
  worlds: Worlds;
  sessionId: string;
  /** Whether the session is of the browser itself, and not of a page. */
  isBrowser: boolean;
  /** Whether the guest is told of what happens now. */
  isTold: boolean;
  ownsSession(sessionId: unknown): boolean;
};

type Rule = (params: Params, context: RuleContext) => Outcome;

const noTarget = { refuse: 'No target with given id found' };
const noContext = { refuse: 'Failed to find browser context with the given id' };
const noWorld = { refuse: 'Cannot find context with specified id' };

/** An address in the one form that both parsers agree on; undefined where no driver may open it. */
function openableUrl(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined;
  const href = URL.parse(url)?.href;
  if (href === undefined || !isOpenable(href)) return undefined;
  return href.startsWith('blob:') && !/^blob:(https?:\/\/|null\/)/.test(href) ? undefined : href;
}

const isWeb = (url: unknown): boolean => typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

const navigate: Rule = (params) => {
  const url = openableUrl(params.url);
  return url === undefined ? { refuse: 'this address is not one of the web' } : { send: { ...params, url } };
};

/** In the session's context whatever else was said: only `background` of the rest is kept. */
const createTarget: Rule = ({ url, browserContextId, background }, { contextId }) => {
  if (!isOwnContext(browserContextId)) return noContext;
  const openable = url === '' ? 'about:blank' : openableUrl(url);
  if (openable === undefined) return { refuse: 'this address is not one of the web' };
  return { send: { url: openable, browserContextId: contextId, background: background === true } };
};

const isOwnContext = (id: unknown): boolean => id === undefined || id === contextAlias;

/** In a session of a page, the context of that page is meant where none is named. */
const inContext: Rule = (params, { contextId, isBrowser }) => {
  if (!isOwnContext(params.browserContextId)) return noContext;
  const isMeant = !isBrowser && params.browserContextId === undefined;
  return { send: isMeant ? params : { ...params, browserContextId: contextId } };
};

/** What a person has copied in a private tab is in the clipboard of all. */
const withoutClipboard: Rule = (params, context) =>
  /clipboard/i.test(JSON.stringify([params.permissions, params.permission]))
    ? { refuse: 'the clipboard is not given to programs' }
    : inContext(params, context);

const ofTarget: Rule = (params, { targets }) => (targets.has(params.targetId) ? { send: params } : noTarget);

/** Without an id it is the session's own target. */
const ofTargetOrOwn: Rule = (params, context) =>
  params.targetId === undefined ? { send: params } : ofTarget(params, context);

const attach: Rule = (params, context) =>
  params.flatten === true ? ofTarget(params, context) : { refuse: 'only flat sessions are supported: set flatten' };

const inWorld: Rule = (params, { worlds, sessionId }) =>
  worlds.allows(sessionId, params) ? { send: params } : noWorld;

const optionalWebUrl: Rule = (params) =>
  params.url === undefined || isWeb(params.url) ? { send: params } : { refuse: 'this address is not one of the web' };

const hasItems = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

export const rules: Record<string, Rule> = {
  'Page.navigate': navigate,
  'Target.createTarget': createTarget,
  'Target.closeTarget': ofTarget,
  'Target.activateTarget': ofTarget,
  'Target.autoAttachRelated': ofTarget,
  'Target.attachToTarget': attach,
  'Browser.getWindowForTarget': ofTargetOrOwn,
  'Target.getTargetInfo': (params, context) => ({
    ...ofTargetOrOwn(params, context),
    reshape: (result) => ({ ...result, targetInfo: context.targets.shown(result.targetInfo as TargetInfo) }),
  }),
  'Target.getTargets': (params, { targets }) => ({
    send: params,
    reshape: ({ targetInfos, ...rest }) => ({
      ...rest,
      targetInfos: (targetInfos as TargetInfo[]).filter(targets.isOwn).map(targets.shown),
    }),
  }),
  'Target.getBrowserContexts': () => ({ answer: { browserContextIds: [], defaultBrowserContextId: contextAlias } }),
  // Sessions that are not flat would carry commands inside of others, where nobody reads them.
  'Target.setAutoAttach': (params) =>
    params.flatten === true || params.autoAttach === false
      ? { send: { ...params, flatten: true } }
      : { refuse: 'only flat sessions are supported: set flatten' },
  'Target.setDiscoverTargets': ({ discover, filter }, { targets, sessionId, isTold }) =>
    filter === undefined || isFilter(filter)
      ? { answer: {}, events: targets.discover(sessionId, filter, { isOn: discover === true, isTold }) }
      : { refuse: 'a filter is a list of objects with a type, a text, and exclude, a boolean' },
  'Target.detachFromTarget': ({ sessionId }, { ownsSession }) =>
    ownsSession(sessionId) ? { send: { sessionId } } : { refuse: 'No session with given id' },
  'Browser.grantPermissions': withoutClipboard,
  'Browser.setPermission': withoutClipboard,
  'Browser.resetPermissions': inContext,
  'Browser.cancelDownload': inContext,
  'Storage.getCookies': inContext,
  'Storage.setCookies': inContext,
  'Storage.clearCookies': inContext,
  'Network.loadNetworkResource': (params) =>
    isWeb(params.url) ? { send: params } : { refuse: 'this address is not one of the web' },
  'Fetch.continueRequest': optionalWebUrl,
  // Paths are of this machine. None may be taken from it, and none of them is the client's.
  'DOM.setFileInputFiles': (params) =>
    hasItems(params.files)
      ? { refuse: 'files of a program cannot be given to a page here; upload them to the session' }
      : { send: params },
  'Input.dispatchDragEvent': (params) =>
    hasItems((params.data as Params | undefined)?.files)
      ? { refuse: 'files of a program cannot be dragged into a page' }
      : { send: params },
  'Page.enable': ({ enableFileChooserOpenedEvent: _, ...params }) => ({ send: params }),
  'Page.addScriptToEvaluateOnNewDocument': (params, { worlds }) => ({
    // Without a name, or with an empty one, the script runs in the page's own world.
    send: params.worldName ? { ...params, worldName: worlds.named(params.worldName) } : params,
  }),
  'Page.createIsolatedWorld': (params, { worlds, sessionId }) => ({
    send: { ...params, worldName: worlds.named(params.worldName) },
    reshape: (result) => {
      worlds.add(sessionId, result.executionContextId);
      return result;
    },
  }),
  'Runtime.evaluate': inWorld,
  'Runtime.callFunctionOn': inWorld,
  'Runtime.compileScript': inWorld,
  'Runtime.runScript': inWorld,
  'Runtime.globalLexicalScopeNames': inWorld,
  'DOM.resolveNode': inWorld,
  // Without a world it would be put into all of them, the host's too.
  'Runtime.addBinding': (params, context) => {
    const { executionContextId, executionContextName: name } = params;
    if (executionContextId !== undefined) return inWorld(params, context);
    return { send: { ...params, executionContextName: name ? context.worlds.named(name) : '' } };
  },
};

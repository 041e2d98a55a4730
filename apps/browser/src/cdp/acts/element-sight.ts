// Asks the page which element an act of a guest is about, in the world of the host, which the page cannot change. It is asked just
// before the act, in the same session, and the act does not wait for the answer.

import { z } from 'zod';
import { focusScript, pointScript } from '../../dom/injected/script.ts';
import { worldName } from '../../dom/worlds/isolated-world.ts';
import type { Guest } from '../multiplexer.ts';
import { clamped, type Point } from './sighting.ts';

/** A page has elements of any size, and a report none beyond this. */
const Coordinate = z.number().transform(clamped);

const Sight = z.object({
  role: z.string().max(50),
  name: z.string().max(200),
  secret: z.boolean(),
  box: z.object({ x: Coordinate, y: Coordinate, width: Coordinate, height: Coordinate }),
});
export type Sight = z.output<typeof Sight>;

const Context = z.object({
  id: z.int(),
  name: z.string(),
  auxData: z.object({ frameId: z.string() }),
});
const Evaluated = z.object({ result: z.object({ result: z.object({ value: Sight }) }) });
const Opened = z.object({ result: z.object({ executionContextId: z.int() }) });

export type ElementSight = {
  at(sessionId: string, point: Point): Promise<Sight | undefined>;
  focused(sessionId: string): Promise<Sight | undefined>;
  /** A session of this target was opened. */
  attached(sessionId: string, target: { targetId: string; type: string }): void;
  /** An event about JavaScript contexts, as Chromium sent it. */
  noteContexts(sessionId: string, method: string, params: Record<string, unknown>): void;
  /** The page that a session of the guest is of. */
  pageOf(sessionId: string | undefined): string | undefined;
  forget(sessionId: string): void;
};

export function createElementSight(guest: Pick<Guest, 'owns' | 'send'>): ElementSight {
  /** The main frame of each session of a page, and the host's world in its document, where that is known. */
  const pages = new Map<string, { frameId: string; contextId: number | undefined }>();

  const ask = (sessionId: string, method: string, params: object): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    if (!guest.owns(sessionId)) return Promise.resolve(undefined);
    guest.send({ method, params, sessionId }, (answer) => resolve(JSON.parse(answer.toString())));
    return promise;
  };

  /** For the acts to come, where the client does not follow contexts: asking for the same name gives the same world. */
  async function openWorld(sessionId: string, page: { frameId: string; contextId: number | undefined }): Promise<void> {
    const opened = Opened.safeParse(
      await ask(sessionId, 'Page.createIsolatedWorld', {
        frameId: page.frameId,
        worldName,
        grantUniveralAccess: false,
      }),
    );
    if (opened.success) page.contextId = opened.data.result.executionContextId;
  }

  async function look(sessionId: string, expression: string): Promise<Sight | undefined> {
    const page = pages.get(sessionId);
    const contextId = page?.contextId;
    if (!page) return undefined;
    if (contextId === undefined) {
      void openWorld(sessionId, page);
      return undefined;
    }
    const said = await ask(sessionId, 'Runtime.evaluate', { expression, contextId, returnByValue: true, silent: true });
    const seen = Evaluated.safeParse(said);
    if (seen.success) return seen.data.result.result.value;
    // The document is gone: the next act finds the world of the next.
    if (isError(said) && page.contextId === contextId) page.contextId = undefined;
    return undefined;
  }

  return {
    at: (sessionId, { x, y }) => look(sessionId, pointScript(x, y)),
    focused: (sessionId) => look(sessionId, focusScript),
    attached(sessionId, { targetId, type }) {
      // Chromium gives a page and its main frame the same id.
      if (type === 'page') pages.set(sessionId, { frameId: targetId, contextId: undefined });
    },
    noteContexts(sessionId, method, params) {
      const page = pages.get(sessionId);
      if (!page) return;
      if (method === 'Runtime.executionContextsCleared') page.contextId = undefined;
      if (method === 'Runtime.executionContextDestroyed' && params.executionContextId === page.contextId)
        page.contextId = undefined;
      if (method !== 'Runtime.executionContextCreated') return;
      const context = Context.safeParse(params.context);
      if (context.success && context.data.name === worldName && context.data.auxData.frameId === page.frameId)
        page.contextId = context.data.id;
    },
    pageOf: (sessionId) => pages.get(sessionId ?? '')?.frameId,
    forget: (sessionId) => void pages.delete(sessionId),
  };
}

const isError = (said: unknown): boolean => typeof said === 'object' && said !== null && 'error' in said;

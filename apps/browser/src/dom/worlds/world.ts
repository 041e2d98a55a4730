// Our world in one document of the page: the page cannot see it, nor change what it finds there.

import type { CDPSession } from 'playwright-core';
import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, within } from '../../common/deadline.ts';
import { script, type Tools } from '../injected/script.ts';
import { isolatedContextOf } from './isolated-world.ts';

/** An element or another object of a world, by the name the browser gave it. */
export class Handle {
  readonly objectId: string;
  constructor(objectId: string) {
    this.objectId = objectId;
  }
}

/** Elements and other nodes are passed as handles. */
type Passed<Args extends unknown[]> = { [Index in keyof Args]: PassedOne<Args[Index]> };
type PassedOne<T> = [Extract<T, Node>] extends [never] ? T : Handle | Exclude<T, Node>;

export type World = {
  frameId: string;
  /** Of the document, `null` where it is opaque. The browser says so, not the page. */
  origin: string;
  session: CDPSession;
  call<Name extends keyof Tools>(
    name: Name,
    args: Passed<Parameters<Tools[Name]>> & unknown[],
    deadline: Deadline,
  ): Promise<Awaited<ReturnType<Tools[Name]>>>;
  /** Runs a function that stands alone in our world of this document. */
  run<Args extends unknown[], T>(fn: (...args: Args) => T | Promise<T>, args: Args, deadline: Deadline): Promise<T>;
  /** The element of that number; undefined where it is gone. */
  element(mark: number, deadline: Deadline): Promise<Handle | undefined>;
  /** A node of this document, as our world sees it. */
  adopt(backendNodeId: number, deadline: Deadline): Promise<Handle | undefined>;
  /** Lets the page forget what only we still held. */
  release(handle: Handle): void;
};

/** What our own script threw: a mistake of ours, or a wrong selector. */
export class ScriptError extends Error {
  override name = 'ScriptError';
}

export async function openWorld(session: CDPSession, frameId: string, deadline: Deadline): Promise<World> {
  const contextId = await within(deadline, isolatedContextOf(session, frameId));
  const handle = ({ objectId }: { objectId?: string }) => (objectId === undefined ? undefined : new Handle(objectId));
  const evaluate = (expression: string) =>
    within(deadline, session.send('Runtime.evaluate', { expression, contextId })).then(({ result }) => result);
  const [{ objectId = '' }, origin] = await Promise.all([evaluate(script), evaluate('self.origin')]);
  const tools = new Handle(objectId);

  const call = (name: keyof Tools, args: unknown[], returnByValue: boolean, deadline: Deadline) =>
    callFunction(session, tools, 'function (name, ...args) { return this[name](...args) }', [name, ...args], {
      returnByValue,
      deadline,
    });

  return {
    frameId,
    origin: String(origin.value),
    session,
    // What comes back was made by the tool of that name, in our world.
    call: async (name, args, deadline) => (await call(name, args, true, deadline)).value,
    run: async (fn, args, deadline) => {
      const declaration = `function (...args) { return (${fn})(...args) }`;
      return (await callFunction(session, tools, declaration, args, { returnByValue: true, deadline })).value;
    },
    element: async (mark, deadline) => handle(await call('element', [mark], false, deadline)),
    release: ({ objectId }) =>
      void bestEffort('release an object', session.send('Runtime.releaseObject', { objectId })),
    adopt: async (backendNodeId, deadline) => {
      const node = { backendNodeId, executionContextId: contextId };
      return handle((await within(deadline, session.send('DOM.resolveNode', node))).object);
    },
  };
}

type CallOptions = { returnByValue: boolean; deadline: Deadline };

/** `on` decides in which world it runs, and no other: the browser's names of objects are never used twice. */
export async function callFunction(
  session: CDPSession,
  on: Handle,
  functionDeclaration: string,
  args: unknown[],
  { returnByValue, deadline }: CallOptions,
) {
  const { result, exceptionDetails } = await within(
    deadline,
    session.send('Runtime.callFunctionOn', {
      objectId: on.objectId,
      functionDeclaration,
      arguments: args.map((value) => (value instanceof Handle ? { objectId: value.objectId } : { value })),
      returnByValue,
      awaitPromise: true,
    }),
  );
  if (exceptionDetails) throw new ScriptError(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}

// The connection of a hostile program, with a page of its own to work on. What it destroys of its own is opened again.

import { connectRaw, evaluate, type RawAnswer, type RawClient } from '../../testkit/cdp/raw-client.ts';
import type { OwnThings } from './hostile-params.ts';

type Options = {
  /** A new address each time: a ticket opens one connection. */
  address(): Promise<string>;
  url: string;
  /** Every message that comes, as it is. */
  onText(text: string): void;
};
type Page = { sessionId: string; targetId: string; own: OwnThings };

const lookMs = 3000;
const mostPages = 4;

export async function openHand({ address, url, onText }: Options) {
  let client = await connect();
  let page: Page | undefined;
  let lost = 0;
  const last = new Map<string, Record<string, unknown>>();

  async function connect(): Promise<RawClient> {
    const made = await connectRaw(await address());
    made.onMessage(({ method, params = {} }, text) => {
      if (method) last.set(method, params);
      onText(text);
    });
    return made;
  }

  async function openPage(): Promise<Page> {
    const { targetId } = await client.send('Target.createTarget', { url });
    const { sessionId: given } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    const sessionId = String(given);
    const of = (method: string, params = {}) => client.send(method, params, sessionId);
    const ready = `document.querySelector('input') !== null`;
    for (let tries = 0; tries < 100 && !(await evaluate(client, sessionId, ready)); tries += 1);
    const { frameTree } = await of('Page.getFrameTree');
    const { root } = await of('DOM.getDocument');
    const { nodeId } = await of('DOM.querySelector', {
      nodeId: (root as { nodeId: number }).nodeId,
      selector: 'input',
    });
    const { object } = await of('DOM.resolveNode', { nodeId });
    const { node } = await of('DOM.describeNode', { nodeId });
    const { objectId } = object as { objectId: string }; // as the protocol has it
    const { backendNodeId } = node as { backendNodeId: number }; // as the protocol has it
    const { id: frameId } = (frameTree as { frame: { id: string } }).frame; // as the protocol has it
    return { sessionId, targetId: String(targetId), own: { frameId, targetId, nodeId, objectId, backendNodeId } };
  }

  async function isAlive({ sessionId }: Page): Promise<boolean> {
    const params = { expression: 'document.querySelector("input") !== null', returnByValue: true };
    const answer = await client.ask('Runtime.evaluate', params, { sessionId, timeoutMs: lookMs });
    return (answer?.result?.result as { value?: boolean } | undefined)?.value === true;
  }

  async function closeOthers(kept: string | undefined): Promise<void> {
    const { targetInfos } = await client.send('Target.getTargets');
    const others = (targetInfos as { targetId: string; type: string }[]).filter((one) => one.targetId !== kept);
    if (kept && others.length < mostPages) return;
    for (const { targetId, type } of others)
      if (type === 'page') await client.ask('Target.closeTarget', { targetId }, { timeoutMs: lookMs });
  }

  return {
    /** Its page. Where it is gone, or does not answer, another one. */
    async page({ isNew = false } = {}): Promise<Page> {
      if (!client.isOpen()) {
        lost += 1;
        client = await connect();
        page = undefined;
      }
      if (!page || isNew || !(await isAlive(page))) {
        const opened = await openPage();
        page = opened;
        await closeOthers(opened.targetId);
      }
      return page;
    },
    tidy: () => closeOthers(page?.targetId),
    ask: (
      method: string,
      params: unknown,
      sessionId: string | undefined,
      timeoutMs: number,
    ): Promise<RawAnswer | undefined> => client.ask(method, params, { sessionId, timeoutMs }),
    run: (sessionId: string, expression: string) => evaluate(client, sessionId, expression),
    sendText: (text: string) => client.sendText(text),
    /** The newest event of this name. */
    lastEvent: (method: string) => last.get(method),
    isOpen: () => client.isOpen(),
    /** How often its connection was ended. */
    lost: () => lost,
    close: () => client.close(),
  };
}
export type HostileHand = Awaited<ReturnType<typeof openHand>>;

// A host with one session after the other on pages made for a test, seen as an agent, a person and a viewer see them.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Bus, connectBus, type Frame, fileCommand, frame } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { openSession, type SessionOptions } from '../src/session/session.ts';
import { drive, startHost } from './host.ts';

export type PrivatePages = Awaited<ReturnType<typeof startPrivatePages>>;
export type PrivateSession = Awaited<ReturnType<PrivatePages['open']>>;

/** In the pages, {there} is the address of another site that serves them too. */
export async function startPrivatePages(
  pages: Record<string, string>,
  settings: Pick<SessionOptions, 'dialogAnswerMs'> = {},
) {
  const site = createServer((request, response) => {
    const html = pages[request.url?.slice(1) ?? ''];
    const { port } = site.address() as AddressInfo;
    response.setHeader('content-type', 'text/html');
    if (html === undefined) response.writeHead(404).end();
    else response.end(html.replaceAll('{there}', `http://localhost:${port}`));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, so the address is of this kind.
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const nats = await startNats({ hosts: ['h1'] });
  const agent: Bus = await connectBus(nats.as('agent'));
  const viewer: Bus = await connectBus(nats.as('server'));
  const host = await startHost(nats, 'h1', { openSession: (options) => openSession({ ...options, ...settings }) });

  async function open(name: string) {
    const session = drive(agent, 'h1');
    await session.open();
    const frames: Frame[] = [];
    const watching = viewer.subscribe(frame, { session_id: session.sessionId }, (one) => void frames.push(one));
    await watching.ready({ timeoutMs: 2000 });
    await session.tell({ type: 'watch', for_ms: 60_000 });
    await session.act({ action: 'navigate', url: `${url}/${name}` });
    let seq = 0;
    return {
      ...session,
      frames,
      /** A person takes the wheel under this epoch, or gives it to an agent. */
      take(epoch: number, isPerson: boolean) {
        seq = 0;
        return session.tell({ type: 'take', epoch, is_person: isPerson });
      },
      hand(epoch: number, ...inputs: object[]) {
        const numbered = inputs.map((input) => {
          seq += 1;
          return { seq, input };
        });
        // What each is, the schema of the bus checks.
        return session.tell({ type: 'input', epoch, inputs: numbered as never });
      },
      /** Puts a file where the person can choose it. */
      async putFile(epoch: number, name: string, text: string): Promise<void> {
        const to = { host_id: 'h1', session_id: session.sessionId };
        const head = { type: 'put', epoch, name, offset: 0 } as const;
        const result = await agent.request(fileCommand, to, { head, body: Buffer.from(text) }, { timeoutMs: 5000 });
        assert.ok(result.ok && result.reply.head.ok, JSON.stringify(result));
      },
      async look() {
        const { head, body } = await session.tell({ type: 'look' });
        assert.ok(head.ok && head.type === 'seen', JSON.stringify(head));
        return { ...head.picture, image: Buffer.from(body).toString('base64') };
      },
      async [Symbol.asyncDispose]() {
        watching.close();
        await session.closeSession(99);
      },
    };
  }

  return {
    url,
    open,
    async close() {
      await host.close();
      await agent.close();
      await viewer.close();
      await nats.close();
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    },
  };
}

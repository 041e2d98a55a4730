// An honest page with a frame of another site in it, for attacks by that frame; and a stack and a client to visit it with.

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import type { AttackSize } from './attack.ts';
import { withOpenStack } from './open-stack.ts';

const TASK_MS = 60_000;

export type Visit = {
  client: Client;
  /** The honest page around this frame. */
  urlWith(frame: string): string;
  /** What came to the honest site, and what to the other. */
  here: string[];
  there: string[];
  /** Runs the steps in a new session. */
  run(steps: Step[]): Promise<{ status: string; error: string | null; sessionId: string; taskId: string }>;
};

/** `frames`: by name, what is in the frame; {there} is the other site. */
export async function visitWithFrames<T>(
  size: AttackSize,
  frames: Record<string, string>,
  work: (visit: Visit) => Promise<T>,
): Promise<T> {
  const [here, there]: [string[], string[]] = [[], []];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://any');
    const isThere = request.headers.host?.startsWith('localhost') ?? false;
    const [, kind = '', name = ''] = url.pathname.split('/');
    if (kind === 'told') {
      (isThere ? there : here).push(decodeURIComponent(url.search.slice(1)));
      return void response.writeHead(204).end();
    }
    const frame = frames[name]?.replaceAll('{there}', far()) ?? '';
    const html =
      kind === 'frame' ? frame : `${form}${kind === 'page' ? `<iframe src="${far()}/frame/${name}"></iframe>` : ''}`;
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>${ear}${html}`);
  });
  let far = () => '';
  return withOpenStack(size, async ({ baseUrl, sitePort }) => {
    far = () => `http://localhost:${sitePort}`;
    const near = `http://127.0.0.1:${sitePort}`;
    await new Promise<void>((resolve) => server.listen(sitePort, resolve));
    try {
      const client = createClient({ baseUrl });
      const run = async (steps: Step[]) => {
        const { task_id: taskId, session_id: sessionId } = await client.sendChat({ prompt: 'log in', steps });
        for (const late = performance.now() + TASK_MS; ; await sleep(50)) {
          const { status } = await client.getTaskStatus({ id: taskId });
          const isOver = status.status === 'success' || status.status === 'failed';
          if (isOver || performance.now() > late)
            return { status: status.status, error: status.last_error, sessionId, taskId };
        }
      };
      return await work({ client, urlWith: (name) => `${near}/page/${name}`, here, there, run });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

/** Tells its own site whatever it gets. */
const ear = `<script>
  const tell = (text) => { new Image().src = '/told?' + encodeURIComponent(text) };
  for (const kind of ['keydown', 'input', 'paste', 'click'])
    addEventListener(kind, (event) => {
      const text = kind === 'keydown' ? event.key : kind === 'paste' ? event.clipboardData?.getData('text') : event.target.value;
      if (kind === 'click' ? event.target.tagName === 'BUTTON' : text) tell(kind + ' ' + text);
    }, true);
</script>`;

const form = `<style>body { margin: 0 } input { position: absolute; top: 20px; left: 10px; width: 200px; height: 20px }
  button { position: absolute; top: 60px; left: 10px } iframe { position: absolute; top: 200px; width: 100px; height: 60px }</style>
  <input type="password" aria-label="Your password"><button value="log in">Log in</button>`;

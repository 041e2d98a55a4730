import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type NumberedInput } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive, startHost } from '../../apps/browser/testing/host.ts';
import { difference, expectedLog, planInputs, randomFrom } from './input.plan.ts';

const tellWithinMs = 15_000;
const askMs = 3000;

export type InputResult = {
  seed: number;
  sequences: number;
  inputs: number;
  requests: number;
  repeated: number;
  refused_of_former_driver: number;
  wrong: string[];
};

/**
 * Random sequences of inputs to a real page, each by another driver. On their way from the server to the host they are
 * split, delayed, swapped, lost, sent twice, and sent once more by the former driver. The page's own log decides.
 */
export async function confuseInputs({ sequences, seed }: { sequences: number; seed: number }): Promise<InputResult> {
  const random = randomFrom(seed);
  const result = { seed, sequences: 0, inputs: 0, requests: 0, repeated: 0, refused_of_former_driver: 0 };
  const wrong: string[] = [];
  const site = await openLoggingSite();
  const nats = await startNats({ hosts: ['confused'] });
  const server = await connectBus(nats.as('server'));
  const host = await startHost(nats, 'confused');
  try {
    const session = drive(server, 'confused');
    await session.open();
    await session.act({ action: 'navigate', url: site.url });
    let former: { epoch: number; inputs: NumberedInput[] } | undefined;

    const send = async (epoch: number, inputs: NumberedInput[]) => {
      result.requests += 1;
      const answer = await session.ask({ type: 'input', epoch, inputs }, askMs);
      return answer.ok ? answer.reply.head : undefined;
    };
    /** Until the host says that these are done, as a server would that hears nothing. */
    const deliver = async (epoch: number, inputs: NumberedInput[]) => {
      await sleep(random() * 30);
      if (random() < 0.3) {
        result.repeated += 1;
        void send(epoch, inputs).catch(() => undefined);
        await sleep(random() * 20);
      }
      for (;;) {
        // Lost on the way, and so sent again later.
        if (random() < 0.15) await sleep(50);
        const head = await send(epoch, inputs);
        if (head?.ok && head.type === 'input' && head.seq >= (inputs.at(-1)?.seq ?? 0)) return;
        // An input that has failed stays failed; one that waits for those before it may be sent again.
        const isOver = head && !head.ok && (head.failure !== 'timeout' || head.message === 'the page does not answer');
        if (isOver) throw new Error(`${head.failure}: ${head.message}`);
      }
    };
    const sendFormer = async () => {
      if (!former) return;
      await sleep(random() * 20);
      const head = await send(former.epoch, former.inputs);
      if (head && !head.ok && head.failure === 'stale_epoch') result.refused_of_former_driver += 1;
    };

    for (let index = 0; index < sequences; index++) {
      const epoch = index + 2;
      const plan = planInputs(random, index);
      const numbered = plan.map((input, at) => ({ seq: at + 1, input }));
      const batches = split(numbered, random);
      const told = site.nextLog();
      await send(epoch, batches[0] ?? []);
      const late = random() < 0.3 ? sendFormer() : undefined;
      await Promise.all(batches.map((batch) => deliver(epoch, batch)));
      await late;
      const found = difference(expectedLog(plan), await told);
      if (found) wrong.push(`sequence ${index}: ${found}`);
      result.sequences += 1;
      result.inputs += plan.length;
      former = { epoch, inputs: numbered };
    }
    return { ...result, wrong };
  } finally {
    await host.close();
    await server.close();
    await nats.close();
    await site.close();
  }
}

function split<T>(all: T[], random: () => number): T[][] {
  const batches: T[][] = [];
  for (let from = 0; from < all.length; ) {
    const size = 1 + Math.floor(random() * 4);
    batches.push(all.slice(from, from + size));
    from += size;
  }
  return batches;
}

/** A page that notes what it is told, and posts that when the last key comes. */
async function openLoggingSite() {
  let tell: ((log: string[]) => void) | undefined;
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(page);
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      tell?.(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    nextLog: () =>
      new Promise<string[]>((resolve) => {
        const timer = setTimeout(() => resolve(['the page told nothing']), tellWithinMs);
        tell = (log) => {
          clearTimeout(timer);
          resolve(log);
        };
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const page = `<!doctype html><style>body { margin: 0 } textarea { position: fixed; inset: 0; width: 100%; height: 100% }</style>
<textarea></textarea><script>
  const box = document.querySelector('textarea');
  const log = [];
  box.focus();
  const note = (event, ...parts) => {
    const held = ['alt', 'ctrl', 'meta', 'shift'].filter((key) => event[key + 'Key']).join('+');
    log.push([...parts, held].join(' ').trim());
  };
  for (const kind of ['mousedown', 'mouseup', 'click', 'dblclick'])
    box.addEventListener(kind, (event) => {
      // The place keeps its focus and nothing is selected: only what is told counts here.
      event.preventDefault();
      // Letting go for the next driver happens beside the page.
      if (event.clientX >= 0) note(event, kind, event.clientX, event.clientY, event.button);
    });
  // Chromium tells a page now and then again where the mouse stands.
  let stands = '0 0';
  box.addEventListener('mousemove', (event) => {
    const at = event.clientX + ' ' + event.clientY;
    if (at !== stands) log.push('move ' + at);
    stands = at;
  });
  box.addEventListener('contextmenu', (event) => event.preventDefault());
  box.addEventListener('wheel', (event) => {
    event.preventDefault();
    note(event, 'wheel', event.deltaX, event.deltaY);
  }, { passive: false });
  box.addEventListener('keydown', (event) => note(event, 'keydown', event.key));
  box.addEventListener('keyup', (event) => {
    note(event, 'keyup', event.key);
    if (event.key === 'F9') fetch('/', { method: 'POST', body: JSON.stringify(log.splice(0)) });
  });
  box.addEventListener('paste', (event) => note(event, 'paste', event.clipboardData.getData('text/plain')));
  box.addEventListener('input', (event) => event.data && note(event, 'input', event.data));
</script>`;

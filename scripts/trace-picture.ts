// node scripts/trace-picture.ts: takes docs/pictures/operate/trace.png, the trace of one chat with a scripted model, out of a real
// installation.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { openInstallation } from '../testkit/installation.ts';
import { startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { root } from '../testkit/stack/folders.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../testkit/traces/otlp-receiver.ts';
import { wholeTrace } from '../testkit/traces/trace.ts';
import { drawTrace } from '../testkit/traces/trace-picture.ts';

const folder = join(root, 'docs/pictures/operate');

async function traceOfChat(closing: AsyncDisposableStack): Promise<ReceivedSpan[]> {
  const closed = <T extends { close(): unknown }>(part: T): T =>
    closing.adopt(part, async () => void (await part.close()));
  const receiver = closed(await startOtlpReceiver());
  const model = closed(await startModelServer(teacher([])));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
  process.env.MODELS = `local=${model.addresses.chat}#teacher`;
  const { client, shop } = closed(await openInstallation('trace-picture'));
  await client.setPolicy({ mode: 'free' });
  // The first chat of a process takes longer: prepared statements, code that is not compiled yet.
  const first = await client.sendChat({ prompt: `open ${shop.url}/` });
  await wholeTrace(receiver, first.task_id);
  model.think(
    teacher([
      { open: `${shop.url}/` },
      { fill: { Search: 'lantern' } },
      { click: 'Find' },
      { finish: 'Brass lantern' },
    ]),
  );
  const { task_id } = await client.sendChat({ prompt: 'Search for a lantern, please.' });
  return wholeTrace(receiver, task_id);
}

const parts = new AsyncDisposableStack();
const trace = await traceOfChat(parts).finally(() => parts.disposeAsync());
const { svg, width, height } = drawTrace(trace, `One chat with a model: ${trace.length} spans of three processes`);
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<body style="margin:0">${svg}</body>`);
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, 'trace.png') });
} finally {
  await browser.close();
}

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import { listen } from '../../testkit/listen.ts';
import { createPictureReader } from '../../testkit/picture-reader.ts';
import type { Attack, AttackResult } from './attack.ts';
import { withOpenStack } from './open-stack.ts';
import { bytesOf, isWithheld, stepPicturesOf, until, watchSession } from './watching.ts';

type Kind = {
  name: string;
  /** Takes what is typed at the place, and says it again somewhere. */
  html: string;
  how: 'keys' | 'text' | 'paste';
  /** Tried in the small size too. */
  isUsual?: boolean;
  /** Whether the page is for everybody again at once, because dots cover all of it. */
  isCoverable?: boolean;
};

const place = { x: 300, y: 250 };
/** For everybody to read. */
const heading = 'HARBOUR 730184';
const repeat = `let text = ''; const say = (more) => { text += more; document.title = text; location.hash = text; show(text) };`;
const at = 'style="position: absolute; left: 40px; top: 200px; width: 1000px; height: 100px; font: 48px monospace"';
const onKeys = `addEventListener('keydown', ({ key }) => key.length === 1 && say(key));`;

const kinds: Kind[] = [
  {
    name: 'canvas',
    isUsual: true,
    html: `<canvas id=paper width=1000 height=100 tabindex=0 ${at}></canvas><script>${repeat}
      const show = (text) => { const on = paper.getContext('2d'); on.font = '48px monospace'; on.clearRect(0, 0, 1000, 100);
        on.fillText(text, 10, 60) }; paper.${onKeys}</script>`,
    how: 'keys',
  },
  {
    name: 'closed',
    isUsual: true,
    html: `<x-field></x-field><script>document.querySelector('x-field').attachShadow({ mode: 'closed' }).innerHTML =
      '<input ${at}>'</script>`,
    how: 'text',
  },
  {
    name: 'plain',
    html: `<div id=board tabindex=0 ${at}></div><script>${repeat}
      const show = (text) => { board.textContent = text }; ${onKeys}</script>`,
    how: 'keys',
  },
  {
    name: 'pasted',
    html: `<div id=board tabindex=0 ${at}></div><script>${repeat} const show = (text) => { board.textContent = text };
      board.addEventListener('paste', (event) => { event.preventDefault();
        say(event.clipboardData.getData('text/plain')) })</script>`,
    how: 'paste',
  },
  {
    // As terminals and editors of code do.
    name: 'unseen',
    isUsual: true,
    html: `<div id=board ${at}></div><textarea ${at.replace('font:', 'opacity: 0; font:')}></textarea><script>${repeat}
      const show = (text) => { board.textContent = text };
      document.querySelector('textarea').addEventListener('input', ({ data }) => say(data))</script>`,
    how: 'text',
  },
  { name: 'field', html: `<input aria-label=Field ${at}>`, how: 'text', isUsual: true, isCoverable: true },
];
const page = ({ name, html }: { name: string; html: string }) =>
  `<!doctype html><title>${name}</title><h1 style="font: 36px monospace">${heading}</h1>${html}
  <button style="position: absolute; top: 500px" onclick="this.textContent = 'Worked'">Work</button>`;

export const typedByAPerson: Attack = {
  name: 'typed-by-a-person',
  what: 'a viewer who comes later reads what a person typed where no dots can cover it: a canvas, a closed shadow root, a page that listens to keys',
  sharing: 'beside others',
  run: ({ isSmall, ...size }) =>
    withOpenStack(size, async ({ baseUrl, sitePort }) => {
      const site = await listen(
        createServer((request, response) => response.end(htmlOf(request.url ?? ''))),
        sitePort,
      );
      const reader = await createPictureReader();
      try {
        return await attack({ baseUrl, site: site.url, reader, isSmall });
      } finally {
        await site.close();
        await reader.close();
      }
    }),
};

function htmlOf(path: string): string {
  const kind = kinds.find(({ name }) => path === `/${name}`);
  return page(kind ?? { name: 'next', html: '<p>The next document.' });
}

type Size = {
  baseUrl: string;
  site: string;
  reader: Awaited<ReturnType<typeof createPictureReader>>;
  isSmall: boolean;
};

async function attack({ baseUrl, site, reader, isSmall }: Size): Promise<AttackResult> {
  const client = createClient({ baseUrl });
  const reached: string[] = [];
  const broken: string[] = [];
  const figures: Record<string, object> = {};
  let tried = 0;
  for (let round = 0; round < (isSmall ? 1 : 4); round += 1) {
    for (const kind of kinds.filter(({ isUsual }) => isUsual || !isSmall)) {
      const canary = String(610_000 + tried * 4637);
      tried += 1;
      const seen = await drive({ client, baseUrl, site, kind, typed: typedAs(kind, `TOUCAN ${canary}`) });
      for (const [where, text] of Object.entries(seen.texts))
        if (text.includes(canary)) reached.push(`${kind.name}: ${where} said what was typed`);
      let found = 0;
      for (const image of seen.pictures) if ((await reader.read(image)).includes(canary)) found += 1;
      if (found > 0) reached.push(`${kind.name}: ${found} pictures show what was typed`);
      figures[kind.name] = { pictures: seen.pictures.length, found, shown_after: seen.shownAfter };
      const isRead = (await reader.read(seen.next)).includes(heading.slice(-6));
      if (!isRead) broken.push(`${kind.name}: the next document cannot be seen`);
      if (kind.isCoverable && seen.shownAfter === 0) broken.push(`${kind.name}: dots would have been enough`);
    }
  }
  const [canvas] = kinds;
  if (!canvas) throw new Error('nothing was tried');
  const keys = ['ArrowLeft', 'Enter', 'Escape', 'Tab', ' ', 'F2'].map((key) => ({ action: 'key', key }));
  const game = await drive({ client, baseUrl, site, kind: canvas, typed: keys });
  if (game.shownAfter === 0) broken.push('keys that type nothing hid the page');
  return { tried, reached, broken, figures: { ...figures, pictures_read: reader.count() } };
}

const typedAs = ({ how }: Kind, text: string): object[] =>
  how === 'keys' ? [...text].map((key) => ({ action: 'key', key })) : [{ action: how === 'text' ? 'type' : how, text }];

type Drive = { client: Client; baseUrl: string; site: string; kind: Kind; typed: object[] };

/** A person types into the page and gives it back; an agent works on there and goes on to another document. */
async function drive(given: Drive) {
  const { client, baseUrl } = given;
  const { session } = await client.createSession({ record: true });
  const { id } = session;
  const { share } = await client.shareSession({ id });
  const guest = createClient({ baseUrl, shareToken: share.share_token });
  const [owner, visitor] = [watchSession(client, id), watchSession(guest, id)];
  try {
    return await driveWatched(given, { id, guest, owner, visitor });
  } finally {
    await Promise.all([owner.close(), visitor.close()]);
  }
}

type Watching = ReturnType<typeof watchSession>;
type Watched = { id: string; guest: Client; owner: Watching; visitor: Watching };

async function driveWatched({ client, site, kind, typed }: Drive, { id, guest, owner, visitor }: Watched) {
  const { task_id } = await client.sendChat({
    prompt: kind.name,
    session_id: id,
    steps: [
      { action: 'navigate', url: `${site}/${kind.name}` },
      { action: 'ask', question: 'Ready?' },
      { action: 'click', target: 'Work' },
      { action: 'wait', for: { secs: 1 } },
      { action: 'screenshot' },
      { action: 'navigate', url: `${site}/next` },
      { action: 'wait', for: { secs: 1 } },
    ],
  });
  const statusOf = async () => (await client.getTaskStatus({ id: task_id })).status;
  await until('asking', async () => (await statusOf()).status === 'awaiting_user');
  const { takeover } = await client.requestTakeover({ id: task_id });
  await until('active', async () => (await statusOf()).takeover?.status === 'active');
  const actions = [{ action: 'click', ...place }, ...typed].map((action, index) => ({
    ...action,
    takeover_id: takeover.takeover_id,
    input_seq: index + 1,
  }));
  // What each is, the contract checks.
  await client.movePointer({ id, actions: actions as never });
  await sleep(300);
  const driven = owner.frames().length;
  await client.resumeTakeover({ id: task_id });
  await until('asking again', async () => (await statusOf()).status === 'awaiting_user');
  // Until here the owner drove, and was told the titles of the open pages: they are the driver's to see.
  const toldDriver = owner.events.length;
  await client.signalTakeover({ id: task_id, answer: 'go on' });
  await until('over', async () => ['success', 'failed'].includes((await statusOf()).status));
  await sleep(500);
  await Promise.all([owner.close(), visitor.close()]);
  const steps = await stepPicturesOf(client, task_id);
  // What the driver saw last may come after that.
  const isOfDriver = (frame: Frame) =>
    !isWithheld(frame) && frame.private && (frame.private_reason ?? 'driven') === 'driven';
  const later = owner
    .frames()
    .slice(driven)
    .filter((frame) => !isOfDriver(frame));
  const snapshots = await Promise.all([client.getSession({ id }), guest.getSession({ id })]);
  const toldOwner = owner.events.filter(
    ({ type }, index) => type !== 'frame' && (type !== 'pages' || index >= toldDriver),
  );
  const texts = {
    'the stream of a guest': JSON.stringify(visitor.events),
    'the stream of the owner': JSON.stringify([...toldOwner, later]),
    'what is kept of the task': JSON.stringify([
      await client.listObservations({ id: task_id }),
      await client.listLogs({ id: task_id, limit: 200 }),
      await client.getRecording({ id, limit: 200 }),
    ]),
    'the session': JSON.stringify(snapshots),
  };
  await client.deleteSession({ id });
  const ofGuest = visitor.frames().filter((frame) => !isWithheld(frame));
  const ofOwner = later.filter((frame) => !isWithheld(frame));
  return {
    texts,
    pictures: [...[...ofGuest, ...ofOwner].map(bytesOf), ...steps.flatMap((one) => (one.isWithheld ? [] : one.image))],
    /** Of the steps between the person and the next document. */
    shownAfter: steps.slice(1, -2).filter((one) => !one.isWithheld).length,
    next: steps.at(-1)?.image ?? Buffer.alloc(0),
  };
}

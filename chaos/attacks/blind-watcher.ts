import { createServer } from 'node:http';
import { createClient } from '@pilothouse/sdk';
import { listen } from '../../testkit/listen.ts';
import type { Attack, AttackResult } from './attack.ts';
import { withOpenStack } from './open-stack.ts';
import { isWithheld, stepPicturesOf, until, watchSession } from './watching.ts';

/** One pixel that nobody sees, and that never lets go of the focus. */
const thief = `<input type=password id=thief style="position: fixed; width: 1px; height: 1px; opacity: 0">
  <script>setInterval(() => { window.focus(); thief.focus() }, 50)</script>`;
/** The same for everybody to see: dots are enough for it. */
const visibleThief = thief.replace('width: 1px; height: 1px; opacity: 0', 'right: 0; top: 0');
const body = `<h1>HARBOUR</h1><p id=count>0</p>
  <button onclick="count.textContent = Number(count.textContent) + 1">Count</button>
  <label>Password <input type=password></label>`;
const pages: Record<string, string> = {
  page: `<!doctype html><title>page</title>${body}${thief}`,
  frame: `<!doctype html><title>frame</title>${body}<iframe src="{there}/advert" width=20 height=20></iframe>`,
  visible: `<!doctype html><title>visible</title>${body}${visibleThief}`,
  honest: `<!doctype html><title>honest</title>${body}`,
  advert: `<!doctype html>${thief}`,
};

export const blindWatcher: Attack = {
  name: 'blind-watcher',
  what: 'a page, or an advert in it, keeps the focus in a password field of its own, so that nobody sees what happens',
  sharing: 'beside others',
  run: ({ isSmall, ...size }) =>
    withOpenStack(size, async ({ baseUrl, sitePort }) => {
      const site = await startSite(sitePort);
      try {
        return await attack(baseUrl, site.url, isSmall ? 4 : 20);
      } finally {
        await site.close();
      }
    }),
};

async function startSite(port: number) {
  const server = createServer((request, response) => {
    const there = `http://localhost:${port}`;
    const html = pages[request.url?.slice(1) ?? ''] ?? '';
    response.setHeader('content-type', 'text/html').end(html.replaceAll('{there}', there));
  });
  return listen(server, port);
}

async function attack(baseUrl: string, site: string, clicks: number): Promise<AttackResult> {
  const client = createClient({ baseUrl });
  const reached: string[] = [];
  const broken: string[] = [];
  const figures: Record<string, object> = {};

  async function work(name: string, steps: object[]) {
    const { session } = await client.createSession({});
    const { id } = session;
    const { share } = await client.shareSession({ id });
    const owner = watchSession(client, id);
    const guest = watchSession(createClient({ baseUrl, shareToken: share.share_token }), id);
    try {
      const all = [{ action: 'navigate', url: `${site}/${name}` }, ...steps, { action: 'wait', for: { secs: 1 } }];
      // What each is, the contract checks.
      const { task_id } = await client.sendChat({ prompt: name, session_id: id, steps: all as never });
      const statusOf = async () => (await client.getTaskStatus({ id: task_id })).status.status;
      await until('over', async () => ['success', 'failed'].includes(await statusOf()));
      const [status, pictures] = [await statusOf(), await stepPicturesOf(client, task_id)];
      return { status, pictures, owner: owner.frames(), guest: guest.frames() };
    } finally {
      await Promise.all([owner.close(), guest.close()]);
      await client.deleteSession({ id });
    }
  }

  const count = Array.from({ length: clicks }, () => ({ action: 'click', target: 'Count' }));
  for (const name of ['page', 'frame', 'visible']) {
    const { status, pictures, owner, guest } = await work(name, count);
    if (status !== 'success') broken.push(`the clicks on the page "${name}" ended in "${status}"`);
    const withheld = pictures.filter((one) => one.isWithheld).length;
    const shown = { owner: owner.filter((one) => !isWithheld(one)), guest: guest.filter((one) => !isWithheld(one)) };
    const ofPage = Object.values(shown).map((frames) => frames.filter(({ route }) => route.title === name).length);
    figures[name] = { pictures: pictures.length, withheld, frames_of_owner: ofPage[0], frames_of_guest: ofPage[1] };
    if (pictures.length < clicks) broken.push(`${pictures.length} pictures of ${clicks} clicks on "${name}"`);
    if (withheld > 0) reached.push(`${withheld} of ${pictures.length} step pictures of "${name}" were withheld`);
    if (ofPage.some((frames = 0) => frames < 2)) reached.push(`those who watched "${name}" saw ${ofPage} frames of it`);
  }

  // What is typed by a step into a field that everybody sees is still nobody's but the owner's.
  const { pictures, owner, guest } = await work('honest', [
    { action: 'type', target: 'Password', text: 'sesame' },
    { action: 'wait', for: { secs: 1 } },
  ]);
  const last = { owner: owner.at(-1), guest: guest.at(-1), picture: pictures.at(-1) };
  if (last.picture?.isWithheld !== true) broken.push('the picture of a password in the making was kept');
  if (!last.guest || !isWithheld(last.guest)) broken.push('a guest saw a password in the making');
  if (!last.owner || isWithheld(last.owner)) reached.push('the owner did not see a step type a password');
  return { tried: 4, reached, broken, figures };
}

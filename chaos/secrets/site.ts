// The honest site and the others, on three origins of this machine. What comes where is noted by visit.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ear, type Trick, tricks } from './tricks.ts';

type Rect = { x: number; y: number };
export type Visit = {
  trick: Trick;
  isHostile: boolean;
  /** What the honest site was sent by its form. */
  sent: { user: string; password: string } | undefined;
  /** What came to the others. */
  stolen: string[];
  /** What the honest page says of itself: where its fields are, and when one has the focus. */
  places: { field: Rect; button: Rect } | undefined;
  focusedAt: number;
};

export type SecretSite = {
  urls: string[];
  /** The address of a page that nobody has visited. */
  open(trick: Trick, isHostile: boolean): { url: string; visit: Visit };
  close(): Promise<void>;
};

const calmFrame = '<p>An advertisement</p><input aria-label="Newsletter">';

export async function startSecretSite(): Promise<SecretSite> {
  const visits = new Map<string, Visit>();
  const origins = { here: '', near: '', far: '' };
  let count = 0;

  function answer(origin: keyof typeof origins, path: string, query: string, body: string): string | undefined {
    const [, kind = '', run = ''] = path.split('/');
    const visit = visits.get(run);
    if (!visit) return undefined;
    // Whatever comes to another origin beside the asking for its pages has come to the wrong one.
    if (origin !== 'here' && query !== '') visit.stolen.push(decodeURIComponent(query));
    if (origin !== 'here' && body !== '' && !isEmptyForm(body)) visit.stolen.push(body);
    if (kind === 't') return '';
    if (origin === 'here') return answerHere(visit, kind, run, query, body);
    const { trick, isHostile } = visit;
    if (kind === 'phish') return `${ear}${form('/t/{run}', 'Your password')}<title>Harbour Bank</title>`;
    if (kind === 'thief')
      return isHostile
        ? `${ear}<input id="p"><script>setInterval(() => { window.focus(); p.focus() }, 3)</script>`
        : calmFrame;
    if (kind !== 'frame') return undefined;
    return isHostile ? ear + trick.frame : ear + (trick.calm ?? calmFrame);
  }

  function answerHere(visit: Visit, kind: string, run: string, query: string, body: string): string | undefined {
    const { trick } = visit;
    if (kind === 'places') {
      visit.places = JSON.parse(decodeURIComponent(query));
      return '';
    }
    if (kind === 'focused') {
      visit.focusedAt = Date.now();
      return '';
    }
    if (kind === 'login') {
      const data = new URLSearchParams(body);
      visit.sent = { user: data.get('user') ?? '', password: data.get('password') ?? '' };
      return '<title>Welcome</title><p>Welcome</p>';
    }
    if (kind === 'notes') return '<title>Notes</title><script>setTimeout(() => window.close(), 300)</script>';
    if (kind !== 'page') return undefined;
    const attributes = trick.sandbox === undefined ? '' : ` sandbox="${trick.sandbox}"`;
    const style = `position: absolute; top: 300px; left: 10px; width: 60px; height: 60px; ${trick.frameStyle ?? ''}`;
    const one = `<iframe src="{${trick.from}}/frame/${run}" style="${style}"${attributes}></iframe>`;
    return `<title>Harbour Bank</title>${one.repeat(trick.frames ?? 1)}${form('/login/{run}', trick.label ?? 'Your password')}${trick.page ?? ''}${tellPlaces}`;
  }

  const serve = (isNear: boolean) =>
    createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://any');
      const origin = isNear ? 'near' : request.headers.host?.startsWith('localhost') ? 'far' : 'here';
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const html = answer(origin, url.pathname, url.search.slice(1), Buffer.concat(parts).toString());
      if (html === undefined) return void response.writeHead(404).end();
      const run = url.pathname.split('/')[2] ?? '';
      const names = { ...origins, run };
      const filled = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), html);
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html === '' ? '' : `<!doctype html>${filled}`);
    });
  const servers = [serve(false), serve(true)] as const;
  const [port, nearPort] = await Promise.all([listen(servers[0]), listen(servers[1])]);
  Object.assign(origins, {
    here: `http://127.0.0.1:${port}`,
    far: `http://localhost:${port}`,
    near: `http://127.0.0.1:${nearPort}`,
  });

  return {
    urls: [origins.here, origins.near],
    open(trick, isHostile) {
      count += 1;
      const run = `${tricks.indexOf(trick)}-${count}`;
      const visit = { trick, isHostile, sent: undefined, stolen: [], places: undefined, focusedAt: 0 };
      visits.set(run, visit);
      return { url: `${origins.here}/page/${run}`, visit };
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** A person may press the button of a form without typing into it: the names of its fields are no part of a secret. */
const isEmptyForm = (body: string): boolean => /^(\w+=(&|$))+$/.test(body);

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  // Listening on TCP, so the address is of this kind.
  return (server.address() as AddressInfo).port;
}

const form = (
  action: string,
  label: string,
) => `<style>body { margin: 0 } form { position: absolute; top: 20px; left: 10px }
  label { display: block; height: 40px } input { width: 200px }</style>
  <form method="post" action="${action}"><label>User name <input name="user" autocomplete="off"></label>
  <label>${label} <input name="password" type="password" autocomplete="off"></label><button>Log in</button></form>`;

/** What a person sees: where the field and the button are, and that the field has lit up. */
const tellPlaces = `<script>
  const at = (css) => { const { x, y, width, height } = document.querySelector(css).getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 } };
  let told = '';
  const say = () => {
    const now = JSON.stringify({ field: at('[name=password]'), button: at('form button') });
    if (now !== told) fetch('/places/{run}?' + encodeURIComponent(now));
    told = now;
  };
  say();
  setInterval(say, 50);
  document.querySelector('[name=password]').addEventListener('focus', () => fetch('/focused/{run}'));
</script>`;

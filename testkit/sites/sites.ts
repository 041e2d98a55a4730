// The open web of the scripts, on one port of this machine. Each visitor has sites of their own, told by the address.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from '../random.ts';
import { download } from './download.ts';
import { forms } from './forms.ts';
import { iframe } from './iframe.ts';
import { login } from './login.ts';
import { page } from './look.ts';
import { mail } from './mail.ts';
import { popup } from './popup.ts';
import { shop } from './shop.ts';
import { slow } from './slow.ts';
import { tables } from './tables.ts';
import { upload } from './upload.ts';
import { type Answer, type Chance, html, redirect, type Site, type Visit } from './web.ts';

/** A request that may have changed something. */
export type Post = { at: number; what: string; body: string };
export type Database = ReturnType<typeof openSites>['data'];
export type SiteName = keyof Database;

export type Visitor = {
  /** What the sites know. */
  data: Database;
  /** Every POST, in order, as the sites saw it: `shop/pay`. */
  posts: Post[];
  /** Where a site begins; it ends in a slash. */
  url(site: SiteName): string;
};

export type Sites = {
  /** A page that leads to all sites, for a visitor who is made on the way. */
  url: string;
  port: number;
  /** A new visitor of this name, whose sites are filled from the seed; what was known under the name is forgotten. */
  visitor(name: string, seed: number): Visitor;
  forget(name: string): void;
  close(): Promise<void>;
};

type Request = Omit<Visit<never>, 'data'>;
type Entered = { posts: Post[]; data: Database; answer(site: string, request: Request): Promise<Answer | undefined> };

export async function startSites({ port = 0 } = {}): Promise<Sites> {
  const visitors = new Map<string, Entered>();
  const enter = (name: string, seed: number) => {
    const entered = { ...openSites(createRandom(seed)), posts: [] };
    visitors.set(name, entered);
    return entered;
  };
  let guests = 0;

  const server = createServer(async (request, response) => {
    try {
      const { status, headers, body } = await answer(request);
      response.writeHead(status, headers).end(body);
    } catch (error) {
      // A site of the tests that breaks is a fault of the tests, and should be seen as one.
      console.error(error);
      response.writeHead(500).end();
    }
  });

  async function answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://sites.test');
    const [, name = '', site = '', path = '/'] = /^\/~([\w.-]+)\/(\w*)(\/.*)?$/.exec(url.pathname) ?? [];
    if (url.pathname === '/') return redirect(`/~guest-${++guests}/`);
    const entered = visitors.get(name) ?? (name.startsWith('guest-') ? enter(name, guests) : undefined);
    if (!entered) return missing();
    if (site === '') return page(town, `/~${name}`, 'The harbour', directory(entered));
    const bytes = Buffer.concat(await request.toArray());
    const method = request.method ?? 'GET';
    if (method === 'POST') entered.posts.push({ at: Date.now(), what: `${site}${path}`, body: bytes.toString() });
    const asked: Request = {
      method,
      path,
      query: url.searchParams,
      form: await formOf(request, bytes),
      cookie: (one) => cookieOf(request, one),
      here: `/~${name}/${site}`,
      farOrigin: `http://${request.headers.host?.startsWith('localhost') ? '127.0.0.1' : 'localhost'}:${bound()}`,
    };
    return (await entered.answer(site, asked)) ?? missing();
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // Listening on TCP, so the address is of this kind.
  const bound = () => (server.address() as AddressInfo).port;
  const origin = `http://127.0.0.1:${bound()}`;

  return {
    url: `${origin}/`,
    port: bound(),
    visitor(name, seed) {
      const { data, posts } = enter(name, seed);
      return { data, posts, url: (site) => `${origin}/~${name}/${site}/` };
    },
    forget: (name) => void visitors.delete(name),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** All sites for one visitor. */
function openSites(random: Chance) {
  const open = <Data>(site: Site<Data>) => {
    const data = site.open(random);
    return { data, answer: async (request: Request) => site.answer({ ...request, data }) };
  };
  const opened = {
    shop: open(shop),
    mail: open(mail),
    forms: open(forms),
    tables: open(tables),
    login: open(login),
    upload: open(upload),
    download: open(download),
    popup: open(popup),
    iframe: open(iframe),
    slow: open(slow),
  };
  // The same names, each with its data alone.
  const data = Object.fromEntries(Object.entries(opened).map(([name, site]) => [name, site.data])) as {
    [Name in keyof typeof opened]: (typeof opened)[Name]['data'];
  };
  const byName = new Map(Object.entries(opened));
  return { data, answer: async (site: string, request: Request) => byName.get(site)?.answer(request) };
}

const town = { name: 'The harbour', colour: '#16323f', nav: [] } as const;
/** All sites, and how often each of them was told to change something. */
function directory({ data, posts }: Entered) {
  const told = Object.entries(Object.groupBy(posts, ({ what }) => what));
  return html`<p class="lead">Sites to try things on.</p>
    <ul>${Object.keys(data)
      // It has no front page.
      .filter((name) => name !== 'slow')
      .map((name) => html`<li><a href="${name}/">${name}</a></li>`)}</ul>
    <table><caption>What was sent</caption><thead><tr><th>To</th><th>Times</th></tr></thead>
    <tbody>${told.map(([what, some = []]) => html`<tr><td>${what}</td><td>${some.length}</td></tr>`)}</tbody></table>`;
}

const missing = (): Answer => page(town, '', 'Not found', html`<p class="lead">There is no such page.</p>`, 404);

const cookieOf = ({ headers }: IncomingMessage, name: string) =>
  headers.cookie
    ?.split('; ')
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1);

async function formOf({ method, headers }: IncomingMessage, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  const type = headers['content-type'];
  if (method !== 'POST' || type === undefined || bytes.length === 0) return new FormData();
  return new Response(bytes, { headers: { 'content-type': type } }).formData();
}

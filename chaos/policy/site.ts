// A site that repeats what it is given wherever a page can, and writes down what came to which origin. Its pages lie on two ports,
// so that one of them is another origin.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../testkit/listen.ts';

export type Given = { origin: string; path: string; value: string };
export type EchoSite = {
  own: string;
  other: string;
  /** Everything that a form brought, by the origin that it came to. */
  books: Given[];
  close(): Promise<void>;
};

/** Is on every page that repeats a value, and is never covered: a search that finds nothing has to find this. */
export const control = 'Visible-Harbour';

export async function startEchoSite(): Promise<EchoSite> {
  const books: Given[] = [];
  const at = { own: '', other: '' };
  const serve = (origin: 'own' | 'other') =>
    createServer((request, response) => void answer({ origin: at[origin], ...at, books }, request, response));
  const [own, other] = await Promise.all([listen(serve('own')), listen(serve('other'))]);
  Object.assign(at, { own: own.url, other: other.url });
  const place = { own: own.url, other: other.url };
  return { ...place, books, close: async () => void (await Promise.all([own.close(), other.close()])) };
}

type Place = { origin: string; own: string; other: string; books: Given[] };

async function answer(place: Place, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://any');
  const [, page = '', name = ''] = url.pathname.split('/');
  if (request.method === 'POST') {
    const form = new URLSearchParams(await textOf(request));
    for (const value of form.values()) place.books.push({ origin: place.origin, path: url.pathname, value });
    const said = form.get('secret') ?? '';
    response.writeHead(303, { location: `/echo/${name}?said=${encodeURIComponent(said)}#${btoa(said)}` }).end();
    return;
  }
  if (page === 'file') {
    const disposition = `attachment; filename="report ${lastOf(place, name)}.txt"`;
    response.writeHead(200, { 'content-type': 'text/plain', 'content-disposition': disposition }).end('A report.');
    return;
  }
  const html = pageOf(place, page, name, url.searchParams.get('said') ?? lastOf(place, name));
  response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
}

const lastOf = ({ books }: Place, name: string) => books.findLast(({ path }) => path.endsWith(`/${name}`))?.value ?? '';

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function pageOf({ own, other }: Place, page: string, name: string, said: string): string {
  switch (page) {
    case 'login':
    case 'shown':
      return `<!doctype html><title>Log in</title><form method=post action="/${page}/${name}">
        <label>Password <input name=secret type="${page === 'shown' ? 'text' : 'password'}" style="font: 30px monospace"></label>
        <label>Code <input name=code></label><button>Log in</button></form>`;
    case 'framed':
      return `<!doctype html><title>Framed</title><iframe src="${other}/login/${name}" title=login width=900 height=200></iframe>`;
    case 'leaving':
      return `<!doctype html><title>Leaving</title><meta http-equiv=refresh content="0; url=${other}/login/${name}"><p>A moment`;
    case 'echo':
      return echo(own, name, said);
    default:
      return '<!doctype html><title>Nothing</title>';
  }
}

const big = 'style="font: 34px monospace"';

const echo = (own: string, name: string, said: string) => `<!doctype html><title>Hello ${said}</title>
  <h1 ${big}>${control} ${name}</h1><p ${big}>You typed ${said}</p>
  <p ${big}>${[...said].map((sign) => `<span>${sign}</span>`).join('')}</p>
  <p><img alt="Picture of ${said}" src="/none/${name}"> <a href="/file/${name}">Report</a>
  <button aria-label="Forget ${said}">x</button> <button title="${said}">y</button> <button>Done</button></p>
  <input value="${said}" ${big}><input id=set ${big}><select ${big}><option>${said}</option></select>
  <p ${big} id=late></p><p id=code>${btoa(said)}</p>
  <script>
    console.log('said', ${JSON.stringify(said)}); console.error(${JSON.stringify(said)});
    late.textContent = ${JSON.stringify(said)}.toUpperCase(); document.querySelector('#set').value = ${JSON.stringify(said)};
    if (location.search) { history.replaceState(null, '', location.href + '&again=${own.length}'); setTimeout(() => alert('You typed ' + ${JSON.stringify(said)}), 50); }
  </script>`;

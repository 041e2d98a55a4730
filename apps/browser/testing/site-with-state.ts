// A page that knows its user only while cookie, local storage, database and session storage are all there.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Site } from './site.ts';

const enter = `<!doctype html><title>Entering</title><body><script>
  localStorage.setItem('who', 'anna');
  sessionStorage.setItem('tab', new URLSearchParams(location.search).get('tab') ?? 'one');
  const opening = indexedDB.open('notes', 3);
  opening.onupgradeneeded = () => {
    const notes = opening.result.createObjectStore('notes', { keyPath: 'id', autoIncrement: true });
    notes.createIndex('by_day', 'day');
  };
  opening.onsuccess = () => {
    const work = opening.result.transaction('notes', 'readwrite');
    work.objectStore('notes').put({ id: 7, text: 'remember', day: new Date(0), bytes: new Uint8Array([1, 2, 3]) });
    work.oncomplete = () => { opening.result.close(); document.title = 'Entered'; };
  };
</script><div style="height: 4000px">`;

/** What its own first script finds, before anything else could have put it there. */
const home = `<!doctype html><title>…</title><script>
  window.found = [document.cookie, localStorage.getItem('who'), sessionStorage.getItem('tab')].join(' ');
</script><body><div style="height: 4000px">Home</div><script>
  const opening = indexedDB.open('notes');
  opening.onsuccess = () => {
    const db = opening.result;
    if (!db.objectStoreNames.contains('notes')) { document.title = found + ' no notes'; return; }
    const read = db.transaction('notes').objectStore('notes').get(7);
    read.onsuccess = () => {
      const { text, day, bytes } = read.result ?? {};
      document.title = [found, text, day?.getTime(), bytes?.join('')].join(' ');
      db.close();
    };
  };
</script>`;

export const ENTERED = (tab: string) => `login=anna anna ${tab} remember 0 123`;

export async function startSiteWithState(): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname === '/enter') response.setHeader('set-cookie', 'login=anna; Max-Age=3600; Path=/');
    response.setHeader('content-type', 'text/html').end(pathname === '/enter' ? enter : home);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

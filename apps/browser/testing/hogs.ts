// Pages that take ever more of the machine, each of one thing.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Wall } from '@pilothouse/bus';
import type { Site } from './site.ts';

type Hog = { wall: Wall; script: string };

export const hogs = {
  arrays: {
    wall: 'memory',
    script: `const kept = []; setInterval(() => { for (let i = 0; i < 20; i++) kept.push(new Array(131072).fill(i)) }, 10)`,
  },
  canvases: {
    wall: 'memory',
    script: `const kept = []; setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 2000;
      const d = c.getContext('2d', { willReadFrequently: true }); d.fillRect(0, 0, 2000, 2000); kept.push(d.getImageData(0, 0, 2000, 2000), c) }, 20)`,
  },
  wasm: {
    wall: 'memory',
    script: `const kept = []; setInterval(() => { const m = new WebAssembly.Memory({ initial: 320 });
      new Uint8Array(m.buffer).fill(7); kept.push(m) }, 20)`,
  },
  storage: {
    wall: 'memory',
    script: `const asked = indexedDB.open('full', 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore('all', { autoIncrement: true });
      asked.onsuccess = async () => { for (;;) { const change = asked.result.transaction('all', 'readwrite');
        change.objectStore('all').add(new Blob([new Uint8Array(8e6).fill(3)])); await new Promise((done) => { change.oncomplete = done }) } }`,
  },
  workers: {
    wall: 'cpu',
    script: `const code = URL.createObjectURL(new Blob(['for (;;);'])); for (let i = 0; i < 8; i++) new Worker(code)`,
  },
  loop: { wall: 'cpu', script: `setTimeout(() => { for (;;); }, 100)` },
  popups: { wall: 'pages', script: `setTimeout(() => { for (;;) open('/calm') }, 100)` },
  frames: {
    wall: 'memory',
    // All in one process, whatever site they are of: the browser gives none to a site of its own.
    script: `setInterval(() => { for (let i = 0; i < 5; i++) { const f = document.createElement('iframe');
      f.src = '/calm'; document.body.append(f) } }, 20)`,
  },
  threads: {
    wall: 'processes',
    script: `const code = URL.createObjectURL(new Blob(['onmessage = () => {}'])); setInterval(() => { for (let i = 0; i < 5; i++) new Worker(code) }, 20)`,
  },
  downloads: {
    wall: 'disk',
    script: `setTimeout(() => { const a = document.createElement('a'); a.href = '/large'; a.download = ''; a.textContent = 'Large'; document.body.append(a) })`,
  },
} satisfies Record<string, Hog>;

export type HogName = keyof typeof hogs;
export const hogNames = Object.keys(hogs).filter(isHog);

/** In a thread of its own: a site is never in the process of the host, whose time it would take. */
export async function startHogSite(): Promise<Site> {
  const worker = new Worker(new URL('./hogs.site.ts', import.meta.url));
  const [port] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => void (await worker.terminate()),
  };
}

export function isHog(name: string): name is HogName {
  return Object.hasOwn(hogs, name);
}

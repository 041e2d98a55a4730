// A plain page that draws JPEGs onto a canvas and does nothing else: what the console is measured against.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Pictures go to it as they are, each behind four bytes of its length. */
export async function serveBareCanvas(size: { width: number; height: number }) {
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url !== '/frames') return void response.setHeader('content-type', 'text/html').end(page(size));
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).flushHeaders();
    listeners.add(response);
    response.once('close', () => listeners.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    isOpen: () => listeners.size > 0,
    push(jpeg: Buffer): void {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(jpeg.length);
      const bytes = Buffer.concat([head, jpeg]);
      for (const listener of listeners) listener.write(bytes);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type BareCanvas = Awaited<ReturnType<typeof serveBareCanvas>>;

const page = ({ width, height }: { width: number; height: number }) => `<!doctype html><title>Bare</title>
<body style="margin:0"><canvas id="canvas" style="width:${width}px;height:${height}px"></canvas><script>
  const context = canvas.getContext('2d');
  let newest;
  let isBusy = false;
  const draw = async () => {
    isBusy = true;
    while (newest) {
      const bytes = newest;
      newest = undefined;
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (canvas.width !== bitmap.width) canvas.width = bitmap.width;
      if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
    }
    isBusy = false;
  };
  (async () => {
    const reader = (await fetch('/frames')).body.getReader();
    let held = new Uint8Array(0);
    for (;;) {
      const { value } = await reader.read();
      const all = new Uint8Array(held.length + value.length);
      all.set(held);
      all.set(value, held.length);
      held = all;
      while (held.length >= 4) {
        const length = new DataView(held.buffer, held.byteOffset).getUint32(0);
        if (held.length < 4 + length) break;
        newest = held.slice(4, 4 + length);
        held = held.slice(4 + length);
      }
      if (newest && !isBusy) draw();
    }
  })();
</script>`;

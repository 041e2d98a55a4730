// The page in the agent's browser: another colour at each press, and on `End` a band that changes ten times a second
// until `Home`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Far enough from each other that a JPEG leaves no doubt. */
export const colours = [
  [200, 0, 0],
  [0, 160, 0],
  [0, 0, 220],
  [220, 180, 0],
  [160, 0, 180],
  [0, 180, 180],
] as const;
/** A point of the page that has the colour, in its CSS pixels. */
export const colourAt = { x: 60, y: 60 };
/** Where a press of the mouse goes. */
export const pressAt = { x: 600, y: 500 };
export const changesPerSecond = 10;

export async function openPressedPage() {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** About the usual weight of a picture. */
const words = Array.from(
  { length: 400 },
  (_, index) => `<span style="color:hsl(${(index * 37) % 360} 60% 40%)">word ${index}</span>`,
).join(' ');

const html = `<!doctype html><title>Pressed</title><body style="font:15px sans-serif;margin:0">
  <div id="box" style="height:120px"></div><div id="band" style="height:160px"></div><p>${words}</p><script>
  const colours = ${JSON.stringify(colours)};
  let presses = 0;
  let changes = 0;
  let moving;
  const show = () => { box.style.background = 'rgb(' + colours[presses % colours.length].join(' ') + ')' };
  const press = () => { presses += 1; show() };
  const change = () => {
    changes += 1;
    band.style.background = 'hsl(' + (changes * 67) % 360 + ' 70% 50%)';
    band.textContent = 'change ' + changes;
  };
  show();
  addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowRight') press();
    if (key === 'End') moving ??= setInterval(change, ${1000 / changesPerSecond});
    if (key === 'Home') moving = clearInterval(moving);
  });
  addEventListener('mousedown', press);
</script>`;

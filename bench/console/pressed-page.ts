// The page in the agent's browser. It changes ten times a second, with a rest now and then: one that never rests is
// photographed less often. It stands still from `Home` to `End`, and has another colour after each press.
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
/** Of each 28 changes these are left out, for a rest of more than 300 ms in less than 3 s. */
const leftOut = { of: 28, count: 4 };

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

// Two presses in half a second are a double click where the host counts them, which selects a word and shows it. On the bare side
// each is the first: so nothing can be selected.
const html = `<!doctype html><title>Pressed</title><body style="font:15px sans-serif;margin:0;user-select:none">
  <div id="box" style="height:120px"></div><div id="band" style="height:160px"></div><p>${words}</p><script>
  const colours = ${JSON.stringify(colours)};
  let presses = 0;
  let ticks = 0;
  let rests = true;
  let isMoving = location.search !== '?still';
  const show = () => { box.style.background = 'rgb(' + colours[presses % colours.length].join(' ') + ')' };
  const press = () => { presses += 1; show() };
  setInterval(() => {
    ticks += 1;
    if (!isMoving || (rests && ticks % ${leftOut.of} < ${leftOut.count})) return;
    band.style.background = 'hsl(' + (ticks * 67) % 360 + ' 70% 50%)';
    band.textContent = 'change ' + ticks;
  }, ${1000 / changesPerSecond});
  show();
  addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowRight') press();
    if (key === 'Home') isMoving = false;
    // While a person drives it is cast without a rest too.
    if (key === 'End') [isMoving, rests] = [true, false];
  });
  addEventListener('mousedown', press);
</script>`;

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happened on a page, with the time by its own clock. */
export type Happening = { kind: string; at: number };
export type Office = {
  url: string;
  /** What pages told of themselves, in the order it came. */
  happenings: Happening[];
  /** Every payment that arrived. */
  payments: string[];
  /** What was uploaded, by name. */
  uploads: Map<string, string>;
  /** From now on the page of approvals says so. */
  approve(): void;
  close(): Promise<void>;
};

/** An office with work of every kind on it: tables, files, questions, payments. The pages report every event to the test. */
export async function startOffice(port = 0): Promise<Office> {
  const happenings: Happening[] = [];
  const payments: string[] = [];
  const uploads = new Map<string, string>();
  let isApproved = false;

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://office.test');
    const path = url.pathname;
    if (request.method === 'POST') {
      const body = await bodyOf(request);
      if (path === '/happened') happenings.push(JSON.parse(body));
      if (path === '/payments') {
        payments.push(body);
        // The money is on its way, and the answer takes its time.
        await new Promise((resolve) => setTimeout(resolve, Number(url.searchParams.get('slow_ms') ?? 0)));
      }
      if (path.startsWith('/uploads/')) uploads.set(decodeURIComponent(path.slice(9)), body);
      return void response.writeHead(204).end();
    }
    if (path === '/approval') return void response.end(isApproved ? 'yes' : 'no');
    if (path === '/report.csv') {
      response.setHeader('content-disposition', 'attachment; filename="report.csv"');
      return void response.end('name,price\nLantern,12\n');
    }
    await new Promise((resolve) => setTimeout(resolve, Number(url.searchParams.get('slow_ms') ?? 0)));
    html(response, pages[path] ?? '<h1>Not here</h1>');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happenings,
    payments,
    uploads,
    approve: () => {
      isApproved = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const tell = `<script>
const tell = (kind, ms = performance.now()) =>
  navigator.sendBeacon('/happened', JSON.stringify({ kind, at: performance.timeOrigin + ms }));
for (const kind of ['mousedown', 'click', 'keydown', 'beforeinput', 'input', 'change', 'scroll'])
  addEventListener(kind, () => tell(kind), true);
// A page that was answered cannot be stopped any more, and its scripts run: what counts is when the answer came.
tell('load ' + location.pathname, performance.getEntriesByType('navigation')[0].responseStart);
</script>`;

const pages: Record<string, string> = {
  '/': `<h1>Office</h1><table><caption>Prices</caption><tr><th>Name</th><th>Price</th></tr>
    <tr><td>Lantern</td><td>12</td></tr><tr><td>Compass</td><td>30</td></tr></table>
    <a href="/report.csv">Report</a> <label>Note <input></label>
    <button onclick="alert('Careful'); this.textContent = 'Warned'">Warn</button>
    <button onclick="this.textContent = confirm('Really?') ? 'Yes said' : 'No said'">Confirm</button>
    <label>List <select><option>Red</option><option>Blue</option></select></label>
    <label>File <input type="file" onchange="const f = this.files[0]; f.text().then((body) => fetch('/uploads/' + f.name,
      { method: 'POST', body }).then(() => { document.querySelector('#sent').textContent = 'Sent ' + f.name; }))"></label>
    <p id="sent"></p><div style="height: 3000px"></div>`,
  '/approvals': `<h1>Approvals</h1><p id="state">Waiting</p><script>
    setInterval(async () => { if (await (await fetch('/approval')).text() === 'yes') document.querySelector('#state').textContent = 'Approved'; }, 200);
    </script>`,
  '/pay': `<h1>Pay</h1><button onclick="fetch('/payments?slow_ms=0', { method: 'POST', body: 'paid' })
    .then(() => { const end = Date.now() + 2500; while (Date.now() < end); document.body.append('Paid'); })">Pay</button>`,
};

const html = (response: ServerResponse, content: string) =>
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(`<!doctype html><title>Office</title>${tell}${content}`);

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

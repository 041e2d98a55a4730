// A form with everything that frames do not show: a list, pickers, a file chooser and dialogs.

import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/** What was sent with the form, as the page read it. */
export type Enquiry = Record<'name' | 'berth' | 'arrival' | 'time' | 'colour' | 'letter' | 'answer', string>;
export type EnquirySite = { url: string; sent: Enquiry[]; close(): Promise<void> };

/** The middle of each control, in CSS pixels of the page. */
export const enquiryPlaces = {
  name: { x: 200, y: 120 },
  berth: { x: 200, y: 180 },
  arrival: { x: 200, y: 240 },
  time: { x: 200, y: 300 },
  colour: { x: 200, y: 360 },
  letter: { x: 200, y: 420 },
  send: { x: 200, y: 480 },
  say: { x: 600, y: 120 },
  ask: { x: 600, y: 180 },
  copy: { x: 600, y: 240 },
  open: { x: 600, y: 300 },
} as const;

export async function startEnquiry(): Promise<EnquirySite> {
  const sent: Enquiry[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://enquiry.test');
    if (request.method === 'POST') {
      let body = '';
      for await (const piece of request) body += piece;
      sent.push(JSON.parse(body));
      response.writeHead(204).end();
      return;
    }
    const page = pathname === '/received' ? received : pathname === '/terms' ? terms : form;
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  });
  return { sent, ...(await listen(server)) };
}

const terms = '<!doctype html><title>Terms of the harbour</title><h1>Terms of the harbour</h1>';
const received = '<!doctype html><title>Enquiry received</title><h1>Enquiry received</h1>';
const form = `<!doctype html><title>Enquiry for a berth</title>
<style>
  h1 { position: absolute; top: 20px; left: 100px; margin: 0 }
  form > *, p > * { position: absolute; box-sizing: border-box; left: 100px; width: 200px; height: 40px }
  p > * { left: 500px }
</style>
<h1>Enquiry for a berth</h1>
<form>
  <input name="name" aria-label="Name" style="top: 100px">
  <select name="berth" aria-label="Berth" style="top: 160px">
    <option value="">Choose</option>
    <optgroup label="North quay"><option>Berth 1</option><option disabled>Berth 2</option></optgroup>
    <optgroup label="Fish quay"><option>Berth 14</option><option>Berth 15</option></optgroup>
  </select>
  <input name="arrival" type="date" aria-label="Arrival" min="2026-01-01" style="top: 220px">
  <input name="time" type="time" aria-label="Time" style="top: 280px">
  <input name="colour" type="color" aria-label="Colour" style="top: 340px">
  <input name="letter" type="file" aria-label="Letter" accept=".txt" style="top: 400px">
  <button style="top: 460px">Send</button>
</form>
<p>
  <button style="top: 100px" id="say">Say</button>
  <button style="top: 160px" id="ask">Ask</button>
  <button style="top: 220px" id="copy">Copy</button>
  <a style="top: 280px" href="/terms" target="_blank">Terms</a>
</p>
<script>
  const form = document.forms[0];
  form.onsubmit = async (event) => {
    event.preventDefault();
    const { letter, ...values } = Object.fromEntries(new FormData(form));
    if (!confirm('Send this enquiry?')) return;
    const told = { ...values, letter: letter.name + ': ' + (await letter.text()), answer: say.textContent };
    await fetch('/', { method: 'POST', body: JSON.stringify(told) });
    location.href = '/received';
  };
  say.onclick = () => alert('The harbour master is away.');
  ask.onclick = () => (ask.textContent = prompt('How long is your boat?', '12 m') ?? 'nothing');
  copy.onclick = () => {
    const field = form.elements.name;
    field.select();
    document.execCommand('copy');
  };
</script>`;

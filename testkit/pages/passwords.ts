import { createServer } from 'node:http';
import { listen } from '../listen.ts';

export type PasswordPages = { url: string; forms: URLSearchParams[]; close(): Promise<void> };

export const rows = 5;
/** Where the fields are, in pixels of the page: those that anybody may read on the left, passwords on the right. */
export const fieldAt = (row: number, isPassword: boolean) => ({ x: isPassword ? 800 : 260, y: 140 + row * 70 });
export const sendAt = { x: 180, y: 560 };
/** For everybody to read. */
export const heading = 'HARBOUR 730184';

/** A form that is sent and shown again; what was sent is on no page. */
export async function startPasswordPages(): Promise<PasswordPages> {
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      if (request.method === 'POST') forms.push(new URLSearchParams(body));
      response.setHeader('content-type', 'text/html').end(page);
    });
  });
  return { forms, ...(await listen(server)) };
}

const fields = Array.from({ length: rows }, (_, row) =>
  [false, true].map((isPassword) => {
    const { x, y } = fieldAt(row, isPassword);
    const name = `${isPassword ? 'hidden' : 'open'}-${row}`;
    const place = `left: ${x - 160}px; top: ${y - 25}px`;
    return `<input name="${name}" aria-label="${name}" type="${isPassword ? 'password' : 'text'}" style="${place}">`;
  }),
);
const page = `<!doctype html><title>PasswordPages</title>
<style>body { font: 28px monospace } h1 { font-size: 36px } input, button { position: absolute; font: inherit; height: 50px; width: 380px }
  button { width: 160px }</style>
<h1>${heading}</h1>
<form method="post">${fields.flat().join('')}
  <button style="left: ${sendAt.x - 80}px; top: ${sendAt.y - 25}px">Send</button>
  <button type="button" style="left: 500px; top: ${sendAt.y - 25}px" onclick="this.textContent = 'Worked'">Work</button></form>`;

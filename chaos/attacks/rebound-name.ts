import { request } from 'node:http';
import { connect } from 'node:net';
import type { Attack } from './attack.ts';
import { withOpenStack } from './open-stack.ts';

const user = { username: 'mallory', email: 'mallory@example.test', password: 'correct horse battery' };
/** The head of a request has 15 s. */
const headWithinMs = 21_000;

export const reboundName: Attack = {
  name: 'rebound-name',
  what: 'a page whose name leads to this machine, or of another site, makes a browser ask a server without authentication',
  sharing: 'beside others',
  run: (size) =>
    withOpenStack(size, async ({ port }) => {
      const slow = holdSlowly(port, 50);
      const [reached, broken]: [string[], string[]] = [[], []];
      const rebound = { host: 'evil.test' };
      const foreign = { host: `127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
      const attempts = [
        { what: 'reads the health under a rebound name', path: '/api/health', headers: rebound },
        { what: 'reads the interface under a rebound name', path: '/api/openapi.json', headers: rebound },
        { what: 'registers a user under a rebound name', path: '/api/auth/register', headers: rebound, body: user },
        { what: 'logs in under a rebound name', path: '/api/auth/login', headers: rebound, body: asLogin },
        { what: 'loads the page under a rebound name', path: '/', headers: rebound },
        { what: 'has sessions listed by a page of another site', path: '/api/sessions', headers: foreign },
        { what: 'has the health read by a page of another site', path: '/api/health', headers: foreign },
      ];
      for (const { what, path, headers, body } of attempts) {
        const { status } = await send(port, path, headers, body);
        if (status < 300) reached.push(`${what} (${status})`);
      }
      const own = { host: `localhost:${port}` };
      for (const path of ['/', '/api/health', '/api/sessions']) {
        const { status, policy } = await send(port, path, own);
        if (status !== 200) broken.push(`this machine is answered ${status} at ${path}`);
        if (policy !== 'same-origin') reached.push(`any page may load ${path} as a resource of its own`);
      }
      const fromLink = { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      if ((await send(port, '/', fromLink)).status !== 200)
        broken.push('a link of another site does not lead to the page');
      const held = await slow;
      if (held > 0)
        reached.push(`${held} of 50 sockets that never end their head are held after ${headWithinMs / 1000} s`);
      return { tried: attempts.length + 1, reached, broken };
    }),
};

const asLogin = { username_or_email: user.username, password: user.password };

/** Not `fetch`, which chooses the Host by itself. */
function send(port: number, path: string, headers: Record<string, string>, body?: object) {
  return new Promise<{ status: number; policy: unknown }>((resolve, reject) => {
    const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const options = { port, path, method: body ? 'POST' : 'GET', headers: { ...headers, ...type } };
    const asked = request(options, (answer) => {
      answer.resume();
      const policy = answer.headers['cross-origin-resource-policy'];
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, policy }));
    });
    asked.on('error', reject);
    asked.setTimeout(10_000, () => asked.destroy(new Error(`no answer at ${path}`)));
    asked.end(body && JSON.stringify(body));
  });
}

/** Sockets that begin a request and send a header now and then: how many are still held when the time is over. */
async function holdSlowly(port: number, count: number): Promise<number> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n');
    return socket;
  });
  const trickle = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('X-A: b\r\n');
  }, 1000);
  await new Promise((resolve) => setTimeout(resolve, headWithinMs));
  clearInterval(trickle);
  const held = sockets.filter(({ destroyed }) => !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return held;
}

// What a person does with an installation, over its proxy: register, log in, run a task, take over and hand back.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Client, createClient, isApiError, runTask, takeOver } from '@pilothouse/sdk';

export const baseUrl = 'https://localhost';

/** Registers by the link, which counts once; the first one is the administrator. */
export async function register(invite: string): Promise<Client> {
  const open = createClient({ baseUrl });
  const password = randomBytes(18).toString('base64url');
  const account = { username: 'ada', email: 'ada@example.com', password };
  await refused(open.register({ ...account }), 'a person without an invitation');
  await open.register({ ...account, invite });
  await refused(open.register({ ...account, username: 'eve', email: 'eve@example.com', invite }), 'a used invitation');
  const { access_token: token } = await open.login({ username_or_email: 'ada', password });
  const client = createClient({ baseUrl, token: () => token });
  const { role } = await client.getMe({});
  assert.equal(role, 'admin');
  return client;
}

async function refused(call: Promise<unknown>, who: string): Promise<void> {
  await assert.rejects(call, (error) => isApiError(error, 'forbidden'), who);
}

/** A task in a browser of some host, with its picture. */
export async function runScript(client: Client, siteUrl: string, word: string): Promise<{ sessionId: string }> {
  const prompt = `open ${siteUrl}\ntype "${word}" into "Search"\nclick "Find"\nextract text css "h2" as found\nscreenshot`;
  const run = await runTask(client, { prompt });
  const { status, result } = await run.finished();
  assert.equal(status, 'success', JSON.stringify(result));
  assert.deepEqual(result?.data, { found: `Found ${word}` });
  return { sessionId: run.sessionId };
}

/** A person drives the same browser, and hands it back. */
export async function driveAndReturn(client: Client, session_id: string, siteUrl: string): Promise<void> {
  const driving = await takeOver(client, { session_id, reason: 'trial' });
  assert.equal(driving.takeover.status, 'active');
  await driving.input({ action: 'navigate', url: `${siteUrl}?q=rope` });
  await driving.handBack('looked for rope');
  const { snapshot } = await client.getSession({ id: session_id });
  assert.equal(snapshot.takeover?.status ?? 'none', 'none');
}

/** The console is in the image, and served with its policy. */
export async function readConsole(): Promise<void> {
  const answer = await fetch(`${baseUrl}/`, { signal: AbortSignal.timeout(10_000) });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /<div id="root">|<script/);
  assert.match(answer.headers.get('content-security-policy') ?? '', /script-src/);
}

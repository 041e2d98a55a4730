// The programs and requests of the guides do what they say, run as they stand there. Everything that they talk to is real.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@pilothouse/sdk';
import { docBlock } from '../testkit/doc-blocks.ts';
import { openPrograms } from '../testkit/doc-programs.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { planning } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';

/** As the guides have it. */
const user = { username: 'ada', password: 'correct horse battery' };
const soon = { timeout: 120_000 };

/** A page that is one field, so that every click is on it. */
const field = '<title>Field</title><textarea style="position:fixed;inset:0;width:100%;height:100%"></textarea>';

const beginTask = (prompt: string) => `
const begun = await runTask(client, { prompt: ${JSON.stringify(prompt)}, record: true });
const [task_id, session_id] = [begun.taskId, begun.sessionId];
const session = { id: session_id };
`;
const shopTask = `${beginTask('open https://shop.example.com\nclick "Find"')}\nawait begun.finished();\n`;

describe('in the guides', () => {
  let installation: Installation;
  let model: ModelServer;
  let login: Awaited<ReturnType<typeof listen>>;
  let programs: ReturnType<typeof openPrograms>;
  let token: string;
  let key: string;

  /** The hosts of the guides are these of the test. */
  const addressed = (text: string) =>
    text
      .replaceAll('https://shop.example.com/login', `${login.url}/`)
      .replaceAll(/https:\/\/(?:shop\.)?example\.com(?=['"\\ \n/]|$)/gm, installation.shop.url)
      .replaceAll(/http:\/\/127\.0\.0\.1:4000|https:\/\/pilothouse\.example\.com/g, installation.baseUrl)
      .replaceAll('http://127.0.0.1:4980', installation.shop.url)
      .replaceAll('phk_…', key);

  before(
    async () => {
      login = await listen(createServer((_, response) => response.setHeader('content-type', 'text/html').end(field)));
      model = await startModelServer(
        planning(() => [{ text: 'Open the shop' }], teacher([{ finish: { done: true } }])),
      );
      process.env.MODELS = `local=${model.addresses.chat}#teacher`;
      installation = await openInstallation('guides', { disableAuth: false, sites: [login.url] });
      const { client, baseUrl } = installation;
      await client.register({ ...user, email: 'ada@example.test' });
      token = (await client.login({ username_or_email: user.username, password: user.password })).access_token;
      key = (await createClient({ baseUrl, token: () => token }).createKey({ label: 'guides' })).key.key_token;
      const env = { PATH: process.env.PATH, NO_COLOR: '1', PILOTHOUSE_URL: baseUrl, PILOTHOUSE_API_KEY: key };
      programs = openPrograms('guides', { env, addressed });
    },
    { timeout: 240_000 },
  );
  after(async () => {
    delete process.env.MODELS;
    programs?.close();
    await installation?.close();
    await model?.close();
    await login?.close();
  });

  it('the SDK runs a task', soon, async () => {
    const block = docBlock('docs/guides/sdk.md', 'import { createClient, runTask }');
    const said = await programs.run({ blocks: [block], after: 'console.log(status, result?.data, cost.steps);' });
    assert.match(said, /^success \{ title: 'Harbour Supplies' \} 2$/m);
  });

  it('the SDK says yes to an act', soon, async () => {
    const prompt =
      'open https://shop.example.com\nclick "Add Brass lantern to basket"\ntype "Ada" into "Name"\nclick "Place order"';
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sdk.md', 'const run = await runTask(client, { prompt, steps_by')],
      before: `const prompt = ${JSON.stringify(prompt)};`,
      after: 'console.log((await run.finished()).status);',
    });
    assert.match(said, /^success$/m);
  });

  it('the SDK drives', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sdk.md', 'import { takeOver }')],
      before: `${beginTask('open https://shop.example.com/login')}\nawait begun.finished();`,
      after: "console.log((await client.getSession({ id: session_id })).snapshot.takeover?.status ?? 'nobody drives');",
    });
    assert.match(said, /^(nobody drives|ended|resuming)$/m);
  });

  it('a client sends a chat, follows it and closes the session', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sdk.md', 'import { createClient, isApiError }')],
    });
    assert.match(said, /success/);
  });

  it('a login lists sessions', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sdk.md', 'import { createLogin }')],
      before: `const kept = new Map();
const localStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => void kept.set(name, value), removeItem: (name) => void kept.delete(name) };`,
      after: 'console.log(sessions.length > 0, kept.size > 0);\nawait login.close();',
    });
    assert.match(said, /^true true$/m);
  });

  it('evidence is saved and read', soon, async () => {
    const block = docBlock('docs/guides/evidence.md', 'const response = await client.getTaskEvidence');
    const said = await programs.run({ blocks: [block], before: shopTask });
    assert.match(said, /^\S+ Open .* success$/m);
    assert.match(said, /^\S+ Click "Find" success$/m);
  });

  it('a program of Playwright gets the browser of a session', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/programs.md', 'const { session } = await client.createSession();')],
      after: "await page.goto('https://shop.example.com/');\nconsole.log(await page.title());\nawait browser.close();",
    });
    assert.match(said, /Harbour Supplies/);
  });

  it('a recording is listed with its pictures', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/recordings.md', 'let cursor')],
      before: shopTask,
    });
    assert.match(said, /^\S+ image\/\w+ \d{3,}$/m);
    assert.match(said, /^\S+ status$/m);
  });

  it('a secret is written, listed and removed', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/secrets.md', 'await client.putSecret')],
      before: "const password = 'a password of a test';",
      after: 'console.log((await client.listSecrets()).secrets.length);',
    });
    assert.match(said, /^0$/m);
  });

  it('a session is made with a profile, and a task runs in it', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sessions-and-profiles.md', 'const { session } = await client.createSession({')],
      after:
        "for await (const event of client.followTask({ id: task_id })) if (event.type === 'end') console.log(event.status);",
    });
    assert.match(said, /success/);
  });

  it('a guest of a share sees frames', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/sharing.md', 'const { share } = await client.shareSession')],
      before: `${beginTask('open https://shop.example.com\nwait 4 s\nclick "Find"\nwait 60 s')}`,
      until: /^frame$/m,
    });
    assert.match(said, /^frame$/m);
  });

  it('a person takes over, drives, and goes on in another window', soon, async () => {
    const program = {
      blocks: [
        docBlock('docs/guides/takeover.md', 'let { takeover } = await client.requestSessionTakeover'),
        docBlock('docs/guides/takeover.md', 'const takeover_id'),
        docBlock('docs/guides/takeover.md', 'const { takeover } = await client.setTakeoverClient'),
      ],
      before: shopTask,
      after: 'console.log(takeover.status, next);\nawait client.resumeSessionTakeover({ id: session.id });',
    };
    // On a busy machine a page may be too slow for the press that follows at once; a person presses again.
    const said = await programs.run(program).catch((error: Error) => {
      if (!error.message.includes('the page does not answer')) throw error;
      return programs.run(program);
    });
    assert.match(said, /^active 5$/m);
  });

  it('the questions of the inbox are answered', soon, async () => {
    const said = await programs.run({
      blocks: [docBlock('docs/guides/takeover.md', 'const { items } = await client.listInbox();')],
      before: `${beginTask('open https://shop.example.com\nask "Which colour?"')}
for await (const update of begun) if (update.type === 'question' && update.question) break;`,
      after: 'const { status, result } = await begun.finished();\nconsole.log(status, result.answers[0].text);',
    });
    assert.match(said, /^success the blue one$/m);
  });

  it('a plan is agreed to, changed, or made again', { timeout: 240_000 }, async () => {
    const block = docBlock('docs/guides/takeover.md', 'const { task_id: id } = await client.sendChat');
    const [begin = '', , ...answers] = block.code.trim().split('\n');
    assert.equal(answers.length, 3, 'three ways to answer');
    const asked = `let asked;
const latest = Date.now() + 60_000;
do { if (Date.now() > latest) throw new Error('no plan came'); await sleep(50); asked = (await client.getTaskStatus({ id })).status; } while (asked.question?.kind !== 'plan');`;
    for (const [index, answer] of answers.entries()) {
      const said = await programs.run({
        blocks: [{ ...block, code: `${begin}\n${asked}\n${answer}` }],
        after: `const told = await client.getTaskStatus({ id });
console.log(asked.plan_items.length, told.status.status, told.status.plan_items.map(({ text }) => text).join(', '));
await client.cancelTask({ id }).catch(() => {});`,
      });
      assert.match(
        said,
        [/^1 \w+ Open the shop$/m, /^1 \w+ Find a brass lantern, /m, /^1 \w+ /m][index] ?? /never/,
        said,
      );
    }
  });

  it('the policy of a user is set by a request', soon, async () => {
    const { code } = docBlock('docs/guides/policy.md', 'curl -X PUT');
    const env = { PATH: process.env.PATH, BASE: installation.baseUrl, TOKEN: token };
    const { stdout } = await promisify(execFile)('bash', ['-euc', code], { env, timeout: 20_000 });
    assert.equal(JSON.parse(stdout).policy.mode, 'careful');
    await createClient({ baseUrl: installation.baseUrl, token: () => token }).setPolicy({});
  });

  it('the settings of an MCP client lead to the tools', soon, async () => {
    const { code } = docBlock('docs/guides/mcp.md', '{\n  "mcpServers"');
    const { url, headers } = JSON.parse(addressed(code)).mcpServers.pilothouse;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"name":"run_task"/);
  });
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Client, createClient } from '@pilothouse/sdk';
import { chromium } from 'playwright-core';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { mcpRevision } from '../testkit/mcp.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { buildPackages, layOutPackages } from '../testkit/packages.ts';
import { root } from '../testkit/stack/folders.ts';
import { openTmux } from '../testkit/tmux.ts';
import { until } from '../testkit/until.ts';

const password = 'a long password of a test';
const oldNode = join(root, '.tools/node-22/bin/node');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a file.
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

type Ended = { code: number | null; out: string; err: string };
type Options = { input?: string; env?: Record<string, string>; node?: string };

// The command as it is published, in a process of its own, with a home of its own; everything it talks to is real.
describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-cli-'));
  const app = join(folder, 'app');
  const home = join(folder, 'home');
  const main = join(app, 'node_modules/@pilothouse/cli/dist/main.js');
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'settings'), LANG: 'C.UTF-8' };
  let installation: Installation;
  let client: Client;
  let model: ModelServer;
  let script: string;

  before(
    async () => {
      mkdirSync(home);
      model = await startModelServer(() => ({ fault: 'status', status: 500 }));
      process.env.MODELS = `local=${model.addresses.chat}#teacher`;
      process.env.MODEL_PRICES = 'local=1:2';
      installation = await openInstallation('cli', { disableAuth: false });
      await layOutPackages(app, await buildPackages(folder));
      const { client: anybody, baseUrl, shop } = installation;
      await anybody.register({ username: 'ada', email: 'ada@example.test', password });
      const { access_token } = await anybody.login({ username_or_email: 'ada', password });
      client = createClient({ baseUrl, token: () => access_token });
      script = join(home, 'script.txt');
      writeFileSync(
        script,
        `open ${shop.url}/\ntype "lantern" into "Search"\nclick "Find"\nextract text css "h2" as found\n`,
      );
    },
    { timeout: 240_000 },
  );
  after(async () => {
    delete process.env.MODELS;
    delete process.env.MODEL_PRICES;
    await installation?.close();
    await model?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(args: string[], { input, env: more, node = process.execPath }: Options = {}) {
    const child = spawn(node, [main, ...args], { cwd: home, env: { ...env, ...more }, timeout: 120_000 });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
    child.stdin.end(input ?? '');
    const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...said }));
    return { child: child as ChildProcess, said, ended };
  }
  const pilothouse = (args: string[], options?: Options) => start(args, options).ended;
  /** Fails with everything that was said. */
  const good = async (args: string[], options?: Options): Promise<string> => {
    const { code, out, err } = await pilothouse(args, options);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  };
  const json = async (args: string[]) => JSON.parse(await good([...args, '--json']));

  it('says with its exit code what is wrong', { timeout: 60_000 }, async () => {
    const { baseUrl } = installation;
    const nowhere = await pilothouse(['tasks', '--url', 'http://127.0.0.1:9']);
    assert.deepEqual([nowhere.code, /cannot reach/.test(nowhere.err)], [3, true], nowhere.err);
    const stranger = await pilothouse(['tasks', '--url', baseUrl]);
    assert.deepEqual([stranger.code, /pilothouse login/.test(stranger.err)], [4, true], stranger.err);
    const wrong = await pilothouse(['login', baseUrl, '--with-key'], { input: 'phk_wrong' });
    assert.equal(wrong.code, 4, wrong.err);
    assert.equal((await pilothouse(['fly'])).code, 2);
    assert.equal((await pilothouse(['run', 'nowhere.txt', '--url', baseUrl])).code, 2);
    const unasked = await pilothouse(['--url', baseUrl, '--json', 'login', '-u', 'ada']);
    assert.deepEqual(
      [unasked.code, unasked.out, /no terminal to ask in/.test(unasked.err)],
      [2, '', true],
      unasked.err,
    );
    assert.match(await good(['--help']), /^Usage: pilothouse COMMAND/);
    assert.match(await good(['--version']), /^\d+\.\d+\.\d+\n$/);
  });

  it('logs in with a password that is not shown, and keeps a key that only its owner can read', {
    timeout: 120_000,
  }, async () => {
    const terminal = openTmux({ cwd: home, env, columns: 120 });
    try {
      terminal.type(`${process.execPath} ${main} login`);
      terminal.press('Enter');
      await terminal.shows(/Server \(http:\/\/127\.0\.0\.1:4000\):$/m);
      terminal.type(installation.baseUrl);
      terminal.press('Enter');
      await terminal.shows(/User name:/);
      terminal.type('ada');
      terminal.press('Enter');
      await terminal.shows(/Password:/);
      terminal.type(password);
      terminal.press('Enter');
      const screen = await terminal.shows(/Logged in to .* as ada/);
      assert.ok(!screen.includes(password.slice(0, 6)), screen);
    } finally {
      terminal.close();
    }
    const file = join(env.XDG_CONFIG_HOME, 'pilothouse/credentials.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!readFileSync(file, 'utf8').includes(password));
    assert.match(await good(['doctor']), /✓ Login +as ada/);
  });

  it('runs a script into a file: steps, cost and result, and no control characters', { timeout: 120_000 }, async () => {
    const out = await good(['run', script]);
    assert.doesNotMatch(out, control);
    assert.match(out, /^Watch http:.*\/sessions\/[0-9a-f-]{36}$/m);
    assert.deepEqual(out.match(/^ {2}✓ \w+/gm), ['  ✓ Open', '  ✓ Type', '  ✓ Click', '  ✓ Extract']);
    assert.match(out, /^✓ Done {2}[\d.]+ s · 4 steps\n {2}found {2}Brass lantern\n$/m);
    const lines = (await good(['run', '-', '--json'], { input: readFileSync(script, 'utf8') })).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual([events[0].type, events.at(-1).type], ['started', 'finished']);
    assert.deepEqual(events.at(-1).status.result.data, { found: 'Brass lantern' });
  });

  it('ends with 1 where the task fails, and says why', { timeout: 120_000 }, async () => {
    const { code, out } = await pilothouse(['run', `open ${installation.shop.url}/\nclick "No such thing"`]);
    assert.equal(code, 1);
    assert.match(out, /✗ Click "No such thing"/);
    assert.match(out, /^✗ Failed /m);
  });

  it('runs in Node 22, too', {
    timeout: 120_000,
    skip: existsSync(oldNode) ? false : 'run scripts/node-22',
  }, async () => {
    assert.match(await good(['run', script], { node: oldNode }), /^✓ Done/m);
  });

  it('lists, follows, cancels, and starts work under one name once', { timeout: 120_000 }, async () => {
    const words = `open ${installation.shop.url}/\nwait 300 s`;
    const begin = () =>
      good(['run', words, '--detach', '--json', '--idempotency-key', 'k-1']).then((text) => JSON.parse(text));
    const first = await begin();
    assert.equal((await begin()).task_id, first.task_id);
    const following = start(['logs', 'last', '-f']);
    await until(() => following.said.out.includes('Step 2 of 2'), 60_000);
    const [newest] = await json(['tasks', '-n', '1']);
    assert.deepEqual([newest.id, newest.status], [first.task_id, 'running']);
    assert.match(await good(['sessions']), new RegExp(`^${first.session_id} +active`, 'm'));
    assert.match(await good(['cancel', first.task_id, '--reason', 'enough']), /cancelled/);
    const { code, out } = await following.ended;
    assert.equal(code, 0);
    assert.doesNotMatch(out, control);
    assert.match(await good(['logs', first.task_id]), /info {2}Step 1 of 2/);
  });

  it('passes answers and approvals on', { timeout: 180_000 }, async () => {
    const { shop } = installation;
    const asking = start(['run', `open ${shop.url}/\nask "Which colour?"`]);
    await until(() => asking.said.out.includes('? Which colour?'), 60_000);
    assert.match(await good(['inbox']), /question .* Which colour\?/);
    assert.equal((await pilothouse(['approve', 'last', '--yes'])).code, 1, 'it is no approval');
    await good(['answer', 'last', 'the blue one']);
    const answered = await asking.ended;
    assert.deepEqual([answered.code, /Which colour\? the blue one/.test(answered.out)], [0, true], answered.out);

    const careful = ['run', `open ${shop.url}/\nclick "Add Brass lantern to basket"`, '--mode', 'careful'];
    const waits = await pilothouse([...careful, '--exit-on-question']);
    assert.deepEqual([waits.code, /pilothouse answer/.test(waits.out)], [5, true], waits.out);
    const posts = shop.posts.length;
    assert.equal((await pilothouse(['answer', 'last', 'yes'])).code, 1, 'a yes is given where the act is shown');
    assert.match(await good(['approve', 'last', '--yes']), /Act +Click "Add Brass lantern to basket"/);
    await until(async () => (await json(['tasks', '-n', '1']))[0].status === 'success', 60_000);
    assert.equal(shop.posts.length, posts + 1);
  });

  it('says what a model cost', { timeout: 120_000 }, async () => {
    const { shop } = installation;
    model.think(
      teacher([
        { open: `${shop.url}/` },
        { fill: { Search: 'lantern' } },
        { click: 'Find' },
        { finish: { found: 'Brass lantern' }, when: 'Brass lantern' },
      ]),
    );
    const out = await good([
      'run',
      `Find a lantern at ${shop.url}/`,
      '--planner',
      'llm',
      '--max-cost',
      '1',
      '--domain',
      '127.0.0.1',
    ]);
    assert.match(out, /^✓ Done {2}.* · \d+ steps · \d+ calls of a model · \$\d+\.\d+$/m);
    assert.match(out, /found {2}Brass lantern/);
  });

  it('takes over and returns, and shares', { timeout: 120_000 }, async () => {
    const { session_id } = (await json(['tasks', '-n', '1']))[0];
    const taken = await json(['take', session_id, '--reason', 'to look']);
    assert.match(taken.page, new RegExp(`/sessions/${session_id}$`));
    await until(
      async () => (await client.getSession({ id: session_id })).snapshot.takeover?.status === 'active',
      60_000,
    );
    assert.match(await good(['return', session_id, '--note', 'looked']), /^Handed back/);
    const { link, share_token } = await json(['share', session_id]);
    assert.match(link, /\/share#/);
    const guest = createClient({ baseUrl: installation.baseUrl, shareToken: share_token });
    assert.equal((await guest.getSession({ id: session_id })).snapshot.session.id, session_id);
    await good(['share', session_id, '--revoke']);
    await assert.rejects(guest.getSession({ id: session_id }), { status: 401 });
  });

  it('gives the address for a program', { timeout: 120_000 }, async () => {
    const { ws_url, session_id, page } = await json(['cdp', '--script']);
    assert.match(page, new RegExp(`/sessions/${session_id}$`));
    const browser = await chromium.connectOverCDP(ws_url, { timeout: 60_000 });
    assert.equal(browser.contexts().length, 1);
    await browser.close();
    assert.match(await good(['cdp', session_id]), /^ws:\/\/.*ticket=/);
  });

  it('saves evidence, and finds out that a file was changed', { timeout: 120_000 }, async () => {
    const { keys } = await client.listEvidenceKeys();
    await good(['evidence', 'last', '-o', 'bundle.ndjson']);
    const key = keys[0]?.public_key ?? '';
    assert.match(await good(['verify', 'bundle.ndjson', '--key', key]), /^UNCHANGED: .* which you named/);
    const file = join(home, 'bundle.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Brass lantern', 'Brazen lantern'));
    const changed = await pilothouse(['verify', 'bundle.ndjson', '--key', key]);
    assert.equal(changed.code, 1);
    assert.match(changed.out, /^CHANGED: line \d+/);
  });

  for (const mode of [{ pin: mcpRevision }, 'legacy'] as const)
    it(`is an MCP server that an agent starts (${typeof mode === 'string' ? mode : mode.pin})`, {
      timeout: 120_000,
    }, async () => {
      const settings = join(home, '.cursor/mcp.json');
      mkdirSync(dirname(settings), { recursive: true });
      writeFileSync(settings, '{"mcpServers":{"other":{"command":"true"}}}');
      assert.match(await good(['mcp', 'install', '--target', 'cursor']), /"pilothouse": \{/);
      const { mcpServers } = JSON.parse(readFileSync(settings, 'utf8'));
      assert.deepEqual(Object.keys(mcpServers), ['other', 'pilothouse']);
      assert.ok(!readFileSync(settings, 'utf8').includes('phk_'));
      const { command, args, env: own } = mcpServers.pilothouse;
      const agent = new McpClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await agent.connect(
        new StdioClientTransport({ command, args, env: { ...env, ...own } as Record<string, string> }),
      );
      try {
        const { tools } = await agent.listTools();
        assert.ok(tools.some(({ name }) => name === 'run_task'));
        const steps = [`open ${installation.shop.url}/?q=lantern`, 'extract text css "h2" as found'];
        const result = await agent.callTool(
          { name: 'run_task', arguments: { steps, wait_secs: 50 } },
          { timeout: 60_000 },
        );
        assert.match(JSON.stringify(result), /Brass lantern/);
      } finally {
        await agent.close();
      }
    });

  it('shows progress in a terminal, asks before it cancels, and asks what the task asks', {
    timeout: 180_000,
  }, async () => {
    const terminal = openTmux({ cwd: home, env, columns: 100 });
    const words = join(home, 'long.txt');
    writeFileSync(words, `open ${installation.shop.url}/\nask "Which colour?"\nwait 300 s\n`);
    try {
      terminal.type(`${process.execPath} ${main} run long.txt; echo "ended with $?"`);
      terminal.press('Enter');
      await terminal.shows(/\? Which colour\?\n {2}>$/m);
      terminal.type('the blue one');
      terminal.press('Enter');
      await terminal.shows(/━{16}─{8} 2\/3 · .* Wait 300 s/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark of a step that is done is green.
      assert.match(terminal.painted(), /\u001b\[32m✓/);
      terminal.press('C-c');
      await terminal.shows(/Cancel the task\? \[y\]es, \[n\]o, \[d\]etach:$/m);
      terminal.type('n');
      terminal.press('Enter');
      await terminal.shows(/etach: n\n {2}\S ━/);
      terminal.press('C-c');
      await terminal.shows(/Cancel the task[\s\S]*Cancel the task/);
      terminal.type('y');
      terminal.press('Enter');
      const screen = await terminal.shows(/ended with \d+/);
      assert.match(screen, /✗ Cancelled/);
      assert.match(screen, /ended with 130/);
    } finally {
      terminal.close();
    }
    assert.equal((await json(['tasks', '-n', '1']))[0].status, 'cancelled');
  });

  it('cancels at once where there is no terminal to ask in', { timeout: 120_000 }, async () => {
    const running = start(['run', `open ${installation.shop.url}/\nwait 300 s`]);
    await until(() => running.said.out.includes('✓ Open'), 60_000);
    running.child.kill('SIGINT');
    const { code, out } = await running.ended;
    assert.deepEqual([code, /^✗ Cancelled/m.test(out)], [130, true], out);
  });

  it('logs out, and its key is good for nothing more', { timeout: 120_000 }, async () => {
    const { baseUrl } = installation;
    const file = join(env.XDG_CONFIG_HOME, 'pilothouse/credentials.json');
    const key = JSON.parse(readFileSync(file, 'utf8')).servers[baseUrl].api_key;
    const terminal = openTmux({ cwd: home, env, columns: 120 });
    try {
      terminal.type(`${process.execPath} ${main} logout`);
      terminal.press('Enter');
      await terminal.shows(/Password of ada/);
      terminal.type(password);
      terminal.press('Enter');
      await terminal.shows(/^Logged out of .*, and the key is removed/m);
    } finally {
      terminal.close();
    }
    assert.ok(!existsSync(file));
    const { code } = await pilothouse(['tasks', '--url', baseUrl], { env: { PILOTHOUSE_API_KEY: key } });
    assert.equal(code, 4);
  });

  it('takes a key that is there already, and leaves it at the server', { timeout: 60_000 }, async () => {
    const { baseUrl } = installation;
    const { key } = await client.createKey({ label: 'of a script' });
    assert.match(await good(['login', baseUrl, '--with-key'], { input: `${key.key_token}\n` }), /^Logged in to/);
    await good(['tasks']);
    assert.match(await good(['logout']), /^Logged out/);
    assert.equal((await pilothouse(['tasks', '--url', baseUrl])).code, 4);
    await good(['tasks', '--url', baseUrl], { env: { PILOTHOUSE_API_KEY: key.key_token } });
  });
});

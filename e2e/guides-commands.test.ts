// The commands of the guides do what they say, run as they stand there, in the order of a reader. Only addresses, keys and what
// opens a window are replaced.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Client, createClient } from '@pilothouse/sdk';
import { commandsOf, docBlock } from '../testkit/doc-blocks.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { root, stacksDir } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { openTmux } from '../testkit/tmux.ts';
import { until } from '../testkit/until.ts';

const password = 'correct horse battery';
const soon = { timeout: 120_000 };

describe('the commands of the guides', () => {
  const home = mkdtempSync(join(tmpdir(), 'pilothouse-guides-'));
  const bin = join(home, 'bin');
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'settings'),
    LANG: 'C.UTF-8',
    // In place of a browser that would open a window.
    BROWSER: 'true',
  };
  let installation: Installation;
  let client: Client;
  let model: ModelServer;

  before(
    async () => {
      mkdirSync(bin);
      writeFileSync(join(bin, 'pilothouse'), `#!/bin/sh\nexec node ${join(root, 'apps/cli/src/main.ts')} "$@"\n`);
      chmodSync(join(bin, 'pilothouse'), 0o755);
      model = await startModelServer(() => ({ fault: 'status', status: 500 }));
      process.env.MODELS = `local=${model.addresses.chat}#teacher`;
      process.env.MODEL_PRICES = 'local=1:2';
      installation = await openInstallation('commands', { disableAuth: false });
      const { client: anybody, baseUrl, shop } = installation;
      await anybody.register({ username: 'ada', email: 'ada@example.test', password });
      const { access_token } = await anybody.login({ username_or_email: 'ada', password });
      client = createClient({ baseUrl, token: () => access_token });
      const script = `open ${shop.url}/\ntype "lantern" into "Search"\nclick "Find"\nextract text css "h2" as found\n`;
      writeFileSync(join(home, 'script.txt'), script);
      const { key } = await client.createKey({ label: 'guides' });
      writeFileSync(join(home, 'key.txt'), key.key_token);
    },
    { timeout: 240_000 },
  );
  after(async () => {
    delete process.env.MODELS;
    delete process.env.MODEL_PRICES;
    await installation?.close();
    await model?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const addressed = (text: string) =>
    text.replaceAll('https://pilothouse.example.com', installation.baseUrl).replaceAll('shop.example.com', '127.0.0.1');
  /** One line of a guide in a shell of its own. Throws with all it said if it failed. */
  const run = async (line: string) => {
    const options = { cwd: home, env, timeout: 120_000 };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', addressed(line)], options)).stdout;
  };
  /** A line that asks a person, in a terminal. */
  async function answer(line: string, answers: [asked: RegExp, said: string][], ends: RegExp) {
    const terminal = openTmux({ cwd: home, env, columns: 140 });
    try {
      // The terminal has the PATH of the test.
      terminal.type(addressed(line).replace(/^pilothouse /, './bin/pilothouse '));
      terminal.press('Enter');
      for (const [asked, said] of answers) {
        await terminal.shows(asked, 60_000);
        terminal.type(said);
        terminal.press('Enter');
      }
      return await terminal.shows(ends, 60_000);
    } finally {
      terminal.close();
    }
  }
  /** A task that was begun apart, once it has come to a state. */
  async function begin(prompt: string, wanted: string, careful = false) {
    const policy = careful ? ({ mode: 'careful' } as const) : undefined;
    const { task_id: id, session_id } = await client.sendChat({ prompt, policy });
    await until(async () => (await client.getTaskStatus({ id })).status.status === wanted, 60_000);
    return { id, session_id };
  }

  it('log in, look for what is missing, and run a first script', soon, async () => {
    const [login = '', doctor = '', first = '', ...rest] = commandsOf(
      docBlock('docs/guides/cli.md', 'pilothouse login https://pilothouse.example.com\npilothouse doctor'),
    );
    assert.deepEqual(rest, []);
    await answer(
      login,
      [
        [/User name:/, 'ada'],
        [/Password:/, password],
      ],
      /Logged in to .* as ada/,
    );
    assert.match(await run(doctor), /✓ Login +as ada/);
    assert.match(await run(first), /^✓ Done/m);
  });

  it('log in with a key from a file', soon, async () => {
    const { code } = docBlock('docs/guides/cli.md', 'pilothouse login https://pilothouse.example.com --with-key');
    assert.match(await run(code), /Logged in to/);
  });

  it('run a script, and words', soon, async () => {
    const [script = '', words = '', ...rest] = commandsOf(
      docBlock('docs/guides/cli.md', 'pilothouse run script.txt\n'),
    );
    assert.deepEqual(rest, []);
    assert.match(await run(script), /found {2}Brass lantern/);
    model.think(teacher([{ finish: { cheapest: 'Brass lantern' } }]));
    const said = await run(words);
    assert.match(said, /^✓ Done .* of a model · \$\d+\.\d+$/m);
    assert.match(said, /cheapest {2}Brass lantern/);
  });

  it('print JSON, leave a task running, and follow it', soon, async () => {
    const [json = '', detached = '', logs = '', ...rest] = commandsOf(
      docBlock('docs/guides/cli.md', 'pilothouse run script.txt --json'),
    );
    assert.deepEqual(rest, []);
    assert.deepEqual(JSON.parse(await run(json)).status.result.data, { found: 'Brass lantern' });
    assert.match(await run(detached), /[0-9a-f-]{36}/);
    assert.match(await run(logs), /Step 4 of 4/);
  });

  it('steer', { timeout: 240_000 }, async () => {
    const { shop } = installation;
    const lines = commandsOf(docBlock('docs/guides/cli.md', 'pilothouse inbox'));
    const [inbox = '', say = '', approve = '', take = '', giveBack = '', cancel = '', share = '', ...rest] = lines;
    assert.deepEqual(rest, []);
    const asking = await begin(`open ${shop.url}/\nask "Which colour?"`, 'awaiting_user');
    assert.match(await run(inbox), /Which colour\?/);
    await run(say);
    const isDone = async (id: string) => (await client.getTaskStatus({ id })).status.status === 'success';
    await until(() => isDone(asking.id), 60_000);

    const careful = await begin(`open ${shop.url}/\nclick "Add Brass lantern to basket"`, 'awaiting_user', true);
    const posts = shop.posts.length;
    await answer(approve, [[/Act +Click "Add Brass lantern to basket"[\s\S]*^ *>$/m, '1']], /> 1\n[\s\S]*# *$/);
    await until(() => isDone(careful.id), 60_000);
    assert.equal(shop.posts.length, posts + 1);

    const driven = await begin(`open ${shop.url}/\nwait 300 s`, 'running');
    await run(take);
    await until(async () => {
      const { snapshot } = await client.getSession({ id: driven.session_id });
      return snapshot.takeover?.status === 'active';
    }, 60_000);
    assert.match(await run(giveBack), /^Handed back/);
    assert.match(await run(cancel), /cancelled/);
    assert.match(await run(share), /\/share#/);
  });

  it('save evidence and verify it', soon, async () => {
    const { keys } = await client.listEvidenceKeys();
    writeFileSync(join(home, 'server-key.txt'), keys[0]?.public_key ?? '');
    const [save = '', verify = '', ...rest] = commandsOf(docBlock('docs/guides/cli.md', 'pilothouse evidence last'));
    assert.deepEqual(rest, []);
    await run(save);
    assert.match(await run(verify), /^UNCHANGED: .* which you named/);
    const { code } = docBlock('docs/guides/evidence.md', 'pilothouse verify bundle.ndjson');
    assert.match(await run(code.replace('KEY', keys[0]?.public_key ?? '')), /^UNCHANGED: .* which you named/);
  });

  it('write the settings of agents', soon, async () => {
    const [install = '', print = '', ...rest] = commandsOf(
      docBlock('docs/guides/cli.md', 'pilothouse mcp install --target claude-code'),
    );
    assert.deepEqual(rest, []);
    assert.match(await run(install), /"pilothouse": \{/);
    assert.match(await run(print), /"pilothouse": \{/);
    assert.ok(!existsSync(join(home, '.cursor/mcp.json')), 'it is only printed');
  });

  it('write completions that shells can read', soon, async () => {
    const lines = commandsOf(docBlock('docs/guides/cli.md', 'pilothouse completion bash'));
    assert.equal(lines.length, 3);
    for (const line of lines) {
      const [, file = ''] = />~\/(\S+)$/.exec(line) ?? [];
      mkdirSync(dirname(join(home, file)), { recursive: true });
      await run(line);
      assert.match(readFileSync(join(home, file), 'utf8'), /pilothouse/);
    }
  });
});

describe('the commands of an installation with logins', () => {
  const name = `logins-${process.pid}`;
  let baseUrl: string;
  let env: NodeJS.ProcessEnv;
  const run = async (command: string, more: NodeJS.ProcessEnv = {}) => {
    const child = spawn('bash', ['-euc', command], { cwd: root, env: { ...env, ...more }, timeout: 120_000 });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, `${command}: ${said}`);
    return said;
  };
  const addressed = (text: string) => text.replaceAll('http://127.0.0.1:4000', baseUrl);
  let token: string;

  before(async () => {
    baseUrl = `http://127.0.0.1:${await freePort()}`;
    env = { ...process.env, npm_config_loglevel: 'silent' };
  });
  after(() => run(`npm run stack -- down --wipe --name ${name}`), { timeout: 60_000 });

  it('start it, register and log in', soon, async () => {
    const { code } = docBlock('docs/start/with-logins.md', 'npm run stack -- up');
    const port = new URL(baseUrl).port;
    const said = await run(addressed(code).replace('stack -- up', `stack -- up --name ${name} --port ${port}`));
    token = /"access_token":"([^"]+)"/.exec(said)?.[1] ?? '';
    assert.match(token, /^pha_/);
  });

  it('say who one is, and send a chat', soon, async () => {
    const { code } = docBlock('docs/start/with-logins.md', 'TOKEN=pha_');
    const said = await run(addressed(code).replace('pha_...', token));
    assert.match(said, /"username":"ada"/);
    assert.match(said, /"task_id":"[0-9a-f-]{36}"/);
  });

  it('list and promote users', soon, async () => {
    const { code } = docBlock('docs/start/with-logins.md', 'export DATABASE_URL=');
    // As the guide says: in the file of the stack.
    const { postgres } = JSON.parse(readFileSync(join(stacksDir(), name, 'services.json'), 'utf8'));
    const filled = code.replace('PASSWORD', postgres.password).replace('PORT', postgres.port);
    const said = await run(filled);
    assert.match(said, /ada/);
    assert.match(await run(`${filled.split('\n')[0]}\nnpm run admin -- list`), /ada.*admin|admin.*ada/);
  });
});

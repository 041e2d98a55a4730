import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@pilothouse/sdk';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { docBlock } from '../testkit/doc-blocks.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { buildPackages, layOutPackages } from '../testkit/packages.ts';
import { root } from '../testkit/stack/folders.ts';

const user = { username: 'ada', password: 'a long password of a test' };
const oldNode = join(root, '.tools/node-22/bin/node');
const programs = [
  { name: 'this Node', program: process.execPath, skip: false as const },
  { name: 'Node 22', program: oldNode, skip: existsSync(oldNode) ? (false as const) : 'run scripts/node-22' },
];

/** What each example prints. */
const expected: Record<string, RegExp[]> = {
  'run-a-task': [
    /^watch it at http:.*\/sessions\/[0-9a-f-]{36}$/m,
    /^Open .* success$/m,
    /^Click "Find" success$/m,
    /^success after 4 steps: \{ found: 'Brass lantern' \}$/m,
  ],
  'answer-a-question': [/^asked: Which colour\?$/m, /^success \[ 'the blue one' \]$/m],
  'approve-an-act': [/^may it\? Click "Place order", because: .+$/m, /^success$/m],
  'take-over': [/^drives: active$/m, /^handed back: (nobody drives|ended|resuming)$/m],
  'share-a-session': [/^send this link: .*#…$/m, /^the guest sees a picture of \d+ x \d+$/m, /^and nothing else$/m],
  files: [
    /^success \{ read: 'shopping.txt, 17 bytes' \}$/m,
    /^prices.csv \[ 'product,price', '"Brass lantern",48' \]$/m,
  ],
  'drive-by-cdp': [/^the page is now: Your basket$/m],
  'cancel-a-task': [/^cancelled /m],
  evidence: [/^Open .* success$/m, /^signed, \d+ records$/m],
  'log-in': [/^hello ada$/m, /^a key for programs: phk_…$/m],
};

// The packages as they are published, laid out as an installation does it; everything that they talk to is real.
describe('the examples, with the SDK as it is published,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-examples-'));
  const app = join(folder, 'app');
  let installation: Installation;
  let env: NodeJS.ProcessEnv;

  before(
    async () => {
      installation = await openInstallation('examples', { disableAuth: false });
      await layOutPackages(app, await buildPackages(folder));
      // Playwright is the reader's own, and no dependency of a package.
      symlinkSync(join(root, 'node_modules/playwright-core'), join(app, 'node_modules/playwright-core'));
      cpSync(join(root, 'examples'), join(app, 'examples'), { recursive: true });
      writeFileSync(join(app, 'package.json'), '{ "type": "module", "private": true }');
      const { client, baseUrl, shop } = installation;
      await client.register({ ...user, email: 'ada@example.test' });
      const { access_token } = await client.login({ username_or_email: user.username, password: user.password });
      const { key } = await createClient({ baseUrl, token: () => access_token }).createKey({ label: 'examples' });
      env = {
        PATH: process.env.PATH,
        NO_COLOR: '1',
        PILOTHOUSE_URL: baseUrl,
        PILOTHOUSE_API_KEY: key.key_token,
        SHOP_URL: `${shop.url}/`,
        EXAMPLE_USER: user.username,
        EXAMPLE_PASSWORD: user.password,
      };
    },
    { timeout: 240_000 },
  );
  after(async () => {
    await installation?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(program: string, file: string) {
    const child = spawn(program, [file], { cwd: app, env, timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said.text += text));
    const ended = once(child, 'close').then(([code]) => ({ code, text: said.text }));
    return { child, said, ended };
  }

  it('are all expected to print something', () => {
    const files = readdirSync(join(root, 'examples')).filter((file) => file !== 'settings.ts' && file.endsWith('.ts'));
    assert.deepEqual(files.map((file) => file.replace('.ts', '')).sort(), Object.keys(expected).sort());
  });

  for (const { name, program, skip } of programs)
    it(`do what they say in ${name}`, { timeout: 300_000, skip }, async () => {
      for (const [example, patterns] of Object.entries(expected)) {
        const { code, text } = await start(program, `examples/${example}.ts`).ended;
        assert.equal(code, 0, `${example}: ${text}`);
        for (const pattern of patterns) assert.match(text, pattern, example);
      }
    });

  it('and the program of the README does what it says', { timeout: 60_000 }, async () => {
    const { code: block } = docBlock('README.md', 'import { createClient, runTask }');
    const { baseUrl, shop } = installation;
    const addressed = block.replaceAll('http://127.0.0.1:4000', baseUrl).replaceAll('http://127.0.0.1:4980', shop.url);
    // The demo needs no login; this server does.
    const program = addressed.replace('createClient({', 'createClient({ token: () => process.env.PILOTHOUSE_API_KEY,');
    writeFileSync(join(app, 'examples/readme.ts'), program);
    const { code, text } = await start(process.execPath, 'examples/readme.ts').ended;
    assert.equal(code, 0, text);
    assert.match(text, /^Click "Find" success$/m);
    assert.match(text, /^\{ found: 'Brass lantern' \}$/m);
  });

  it('and so do those of the READMEs that npm shows', { timeout: 60_000 }, async () => {
    const { baseUrl, shop } = installation;
    const { code: sdk } = docBlock('packages/sdk/README.md', 'import { createClient, runTask }');
    const addressed = sdk.replaceAll('http://127.0.0.1:4000', baseUrl).replace('https://example.com', `${shop.url}/`);
    writeFileSync(join(app, 'examples/readme-sdk.ts'), addressed);
    const ran = await start(process.execPath, 'examples/readme-sdk.ts').ended;
    assert.equal(ran.code, 0, ran.text);
    assert.match(ran.text, /^success \{ title: '.+' \}$/m);

    const { client: anybody } = installation;
    const { access_token } = await anybody.login({ username_or_email: user.username, password: user.password });
    const client = createClient({ baseUrl, token: () => access_token });
    const [task] = (await client.listTasks({ limit: 1 })).tasks;
    const { keys } = await client.listEvidenceKeys();
    const bundle = await client.getTaskEvidence({ id: task?.id ?? '' });
    writeFileSync(join(app, 'bundle.ndjson'), Buffer.from(await bundle.arrayBuffer()));
    const { code: evidence } = docBlock('packages/evidence/README.md', 'import { createReadStream }');
    writeFileSync(
      join(app, 'examples/readme-evidence.ts'),
      evidence.replace('the public key in base64', keys[0]?.public_key ?? ''),
    );
    const verified = await start(process.execPath, 'examples/readme-evidence.ts').ended;
    assert.equal(verified.code, 0, verified.text);
    assert.match(verified.text, /^UNCHANGED: /m);
  });

  it('do not notice that the server was killed and started again', { timeout: 120_000 }, async () => {
    const { stack, shop } = installation;
    writeFileSync(
      join(app, 'examples/long.ts'),
      readFileSync(join(app, 'examples/run-a-task.ts'), 'utf8').replace(
        'click "Find"',
        `click "Find"\nopen ${shop.url}/?slow_ms=4000\nopen ${shop.url}/?q=lantern`,
      ),
    );
    const { child, said, ended } = start(process.execPath, 'examples/long.ts');
    while (!said.text.includes('Click "Find" success')) await once(child.stdout, 'data');
    await stack.kill('server-1');
    await stack.start('server-1');
    const { code, text } = await ended;
    assert.equal(code, 0, text);
    assert.deepEqual(
      text.match(/^(Open|Type|Click|Extract) .*(success|failed)$/gm)?.map((line) => line.split(' ')[0]),
      ['Open', 'Type', 'Click', 'Open', 'Open', 'Extract'],
      text,
    );
    assert.match(text, /^success after 6 steps/m);
  });

  it('run in a page without a bundler', { timeout: 120_000 }, async () => {
    const site = await servePage(app, installation.baseUrl);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${site.url}/page.html`);
      const seen = await page.evaluate(
        async ({ token, prompt }) => {
          // Found by the import map of the page, and unknown to the compiler, which sees the workspace.
          const name = '@pilothouse/sdk';
          const { createClient: create, runTask } = (await import(name)) as typeof import('@pilothouse/sdk');
          const client = create({ baseUrl: location.origin, token: () => token });
          const run = await runTask(client, { prompt });
          const steps: string[] = [];
          for await (const update of run)
            if (update.type === 'step' && update.step.status === 'success') steps.push(update.step.action);
          const { status, result } = await run.finished();
          return { steps, status, data: result?.data };
        },
        {
          token: env.PILOTHOUSE_API_KEY ?? '',
          prompt: `open ${installation.shop.url}/?q=lantern\nextract text css "h2" as found`,
        },
      );
      assert.deepEqual(seen, { steps: ['navigate', 'extract'], status: 'success', data: { found: 'Brass lantern' } });

      const { code } = docBlock('docs/guides/sdk.md', 'const login = createLogin({ baseUrl: location.origin');
      const name = await page.evaluate(
        async (block) => {
          const sdk = '@pilothouse/sdk';
          const { createLogin } = (await import(sdk)) as typeof import('@pilothouse/sdk');
          const body = `return (async () => { ${block}; return user.username; })()`;
          return (await new Function('createLogin', body)(createLogin)) as string;
        },
        code.replaceAll('correct horse battery', user.password),
      );
      assert.equal(name, user.username);
    } finally {
      await browser.close();
      await site.close();
    }
  });
});

const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html' };

/** A site of a user of the SDK: their page, the packages as they lie there, and the interface behind it. */
function servePage(folder: string, apiUrl: string) {
  const { code: importMap } = docBlock('docs/guides/sdk.md', '<script type="importmap">');
  writeFileSync(join(folder, 'page.html'), `<!doctype html>${importMap}`);
  const server = createServer((asked, response) => {
    const path = normalize(new URL(asked.url ?? '/', 'http://page.test').pathname);
    if (path.startsWith('/api/')) {
      // As a proxy of one site does: what the server behind it gets names that server.
      const { origin, 'sec-fetch-site': _, ...headers } = asked.headers;
      const target = new URL(asked.url ?? '/', apiUrl);
      const forwarded = sendRequest(
        target,
        { method: asked.method, headers: { ...headers, host: target.host } },
        (got) => {
          response.writeHead(got.statusCode ?? 502, got.headers);
          got.pipe(response);
        },
      );
      forwarded.on('error', () => response.destroy());
      asked.pipe(forwarded);
      return;
    }
    const file = join(folder, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  return listen(server);
}

// The commands and tools of the guide are those of the server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { docBlocks } from '../../../../testkit/doc-blocks.ts';
import { root } from '../../../../testkit/stack/folders.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';
import { toolList } from './tools.ts';

const guide = readFileSync(join(root, 'docs/guides/mcp.md'), 'utf8');
const commands = docBlocks('docs/guides/mcp.md', 'sh').map(({ code }) => code);

describe('the MCP guide', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
  });
  after(() => server.close());

  it('has commands that make a key and list the tools with it', async () => {
    const { token } = await registerUser(server);
    const run = async (command: string | undefined, own: Record<string, string>) => {
      assert.ok(command);
      const env = { PATH: process.env.PATH, BASE: server.baseUrl, ...own };
      return (await promisify(execFile)('bash', ['-euc', command], { env, timeout: 20_000 })).stdout;
    };
    const [makeKey, listTools, ...others] = commands;
    assert.deepEqual(others, [], 'another command of the guide needs a test');
    const { key } = JSON.parse(await run(makeKey, { TOKEN: token }));
    const listed = await run(listTools, { KEY: key.key_token });
    for (const { name } of toolList) assert.ok(listed.includes(`"name":"${name}"`), name);
  });

  it('names each tool, and no other', () => {
    const rows = [...guide.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    assert.deepEqual(rows.map((name) => name.replaceAll('`', '')).sort(), toolList.map(({ name }) => name).sort());
  });
});

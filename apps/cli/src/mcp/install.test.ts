import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mcpTargets } from '../arguments/commands.ts';
import { CommandFailure } from '../connection/failure.ts';
import { entryText, withEntry } from './install.ts';
import { settingsDir, targetOf } from './targets.ts';

const places = { homeDir: '/home/ada', projectDir: '/work', configDir: '/home/ada/.config' };
const entry = {
  command: '/usr/bin/node',
  args: ['/opt/main.js', 'mcp'],
  env: { PILOTHOUSE_URL: 'http://127.0.0.1:4000' },
};

describe('the settings of an agent', () => {
  it('get our entry and keep every other one', () => {
    const before = '{"theme":"dark","mcpServers":{"other":{"command":"x"},"pilothouse":{"command":"old"}}}';
    const after = JSON.parse(withEntry(targetOf('cursor', places), before, entry));
    assert.deepEqual(after, { theme: 'dark', mcpServers: { other: { command: 'x' }, pilothouse: entry } });
    const fresh = JSON.parse(withEntry(targetOf('vscode', places), undefined, entry));
    assert.deepEqual(fresh, { servers: { pilothouse: { type: 'stdio', ...entry } } });
  });

  it('of Codex are only added to, and not twice', () => {
    const target = targetOf('codex', places);
    const before = 'model = "x" # mine\n';
    const after = withEntry(target, before, entry);
    assert.equal(
      after,
      `${before}\n[mcp_servers.pilothouse]\ncommand = "/usr/bin/node"\nargs = ["/opt/main.js", "mcp"]\nenv = { PILOTHOUSE_URL = "http://127.0.0.1:4000" }\n`,
    );
    assert.throws(() => withEntry(target, after, entry), CommandFailure);
    assert.throws(() => withEntry(target, '[mcp_servers."pilothouse".env]\n', entry), CommandFailure);
  });

  it('are not changed where they are not plain JSON', () => {
    for (const text of ['{ // mine\n}', '[]', '{"mcpServers":[]}', 'x'])
      assert.throws(() => withEntry(targetOf('gemini', places), text, entry), CommandFailure, text);
  });

  it('never hold a key, and each agent has its own file', () => {
    const files = mcpTargets.map((name) => {
      const target = targetOf(name, places);
      assert.doesNotMatch(entryText(target, entry), /phk_|API_KEY/);
      return target.file;
    });
    assert.equal(new Set(files).size, mcpTargets.length);
    assert.equal(settingsDir('/Users/ada', '/x', 'darwin'), '/Users/ada/Library/Application Support');
    assert.equal(settingsDir('/home/ada', '/home/ada/.config', 'linux'), '/home/ada/.config');
  });
});

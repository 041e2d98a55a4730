import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { mcpTargets } from '../arguments/commands.ts';
import { CommandFailure } from '../connection/failure.ts';
import { entryText, withEntry, writeSettings } from './install.ts';
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

describe('the settings file of an agent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-settings-'));
  after(() => rmSync(folder, { recursive: true }));
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

  it('is for its owner only where it is new, and otherwise as readable as it was', () => {
    const file = join(folder, 'new/settings.json');
    writeSettings(file, 'first');
    assert.deepEqual([readFileSync(file, 'utf8'), modeOf(file)], ['first', '600']);
    for (const mode of [0o600, 0o640, 0o644]) {
      chmodSync(file, mode);
      writeSettings(file, `with ${mode}`);
      assert.deepEqual([readFileSync(file, 'utf8'), modeOf(file)], [`with ${mode}`, mode.toString(8)]);
    }
    assert.deepEqual(readdirSync(join(folder, 'new')), ['settings.json'], 'nothing is left beside it');
  });

  it('is written where links lead, and the links stay', () => {
    const [real, link, over] = ['dotfiles/settings.json', 'settings.json', 'over.json'].map((name) =>
      join(folder, name),
    );
    assert.ok(real && link && over);
    mkdirSync(join(folder, 'dotfiles'));
    writeFileSync(real, 'before', { mode: 0o640 });
    symlinkSync('dotfiles/settings.json', link);
    symlinkSync(link, over);
    writeSettings(over, 'after');
    assert.deepEqual([readFileSync(real, 'utf8'), modeOf(real)], ['after', '640']);
    for (const one of [link, over]) assert.ok(lstatSync(one).isSymbolicLink(), one);
    rmSync(real);
    writeSettings(over, 'again');
    assert.deepEqual([readFileSync(real, 'utf8'), modeOf(real)], ['again', '600'], 'also where the file was gone');
    for (const one of [link, over]) assert.ok(lstatSync(one).isSymbolicLink(), one);
  });

  it('leaves nothing half done where it cannot be written', () => {
    const file = join(folder, 'taken');
    mkdirSync(file);
    assert.throws(() => writeSettings(file, 'text'));
    assert.ok(!existsSync(`${file}.${process.pid}`));
  });
});

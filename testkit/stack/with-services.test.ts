import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root, stackFolderOf, stacksDir } from './folders.ts';
import { createServices } from './services.ts';

/** How many processes name this place in their command: services that were left behind would. */
function countProcesses(part: string): number {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(part)).length;
}

/** A command of its own that starts PostgreSQL and then waits, until it says the word and is interrupted. */
async function interruptAt(word: string, name: string) {
  const code = `import { withServices } from '${new URL('./with-services.ts', import.meta.url).href}';
    await withServices(process.argv[1], async (services) => {
      console.log('starting');
      await services.start('postgres');
      console.log('started');
      await new Promise(() => setInterval(() => {}, 1000));
    });`;
  const args = ['--input-type=module-typescript', '--eval', code, name];
  const child = spawn(process.execPath, args, { cwd: root, timeout: 60_000, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (text) => {
    if (String(text).includes(word)) child.kill('SIGINT');
  });
  const [exitCode] = await once(child, 'exit');
  return exitCode;
}

describe('private services', () => {
  for (const word of ['starting', 'started']) {
    it(`are gone after Ctrl-C when they had ${word === 'started' ? 'started' : 'only begun to start'}`, async () => {
      const name = `test-interrupted-${word}-${process.pid}`;
      assert.equal(await interruptAt(word, name), 130);
      assert.equal(countProcesses(`${name}/`), 0);
      assert.ok(!existsSync(join(stacksDir(), name)));
    });
  }

  it('started at once are all written down, and one that was forgotten is stopped all the same', async () => {
    const name = `test-at-once-${process.pid}`;
    const services = createServices(name);
    // Inside the checkout or outside it, wherever the services' user can reach.
    const { dataDir } = services.place;
    try {
      await Promise.all([services.start('postgres'), createServices(name).start('nats'), services.start('nats')]);
      const { postgres, nats } = services.status();
      assert.ok(postgres?.running && nats?.running);
      assert.equal(countProcesses(dataDir), 2);
      // As after a start that was cut before it could write.
      await services.kill('nats');
      rmSync(join(stackFolderOf(name).dir, 'services.json'));
    } finally {
      await services.down({ wipe: true });
    }
    assert.equal(countProcesses(dataDir), 0);
    assert.ok(!existsSync(dataDir));
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

/** Runs a small process of its own and gives back how it ended. */
async function lifeOf(
  start: string,
  { signal, stopWithinMs = 10_000 }: { signal?: NodeJS.Signals; stopWithinMs?: number } = {},
) {
  const front = new URL('./index.ts', import.meta.url).href;
  const code = `import { createLog, run, SettingsError } from '${front}';
    const log = createLog('test', 'info');
    const hold = setInterval(() => {}, 1000);
    run('test', async () => { ${start} }, { stopWithinMs: ${stopWithinMs} });`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], { timeout: 20_000 });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
      if (signal && text.includes('"msg":"ready"')) child.kill(signal);
    });
  }
  const [exitCode] = await once(child, 'exit');
  return { exitCode, text };
}

describe('a process', () => {
  it('closes everything on SIGTERM, and exits with 0', async () => {
    const { exitCode, text } = await lifeOf(`return { log, close: async () => console.log('closed') };`, {
      signal: 'SIGTERM',
    });
    assert.equal(exitCode, 0);
    assert.match(text, /closed/s);
  });

  it('ends by force when closing takes too long', async () => {
    const { exitCode, text } = await lifeOf(`return { log, close: () => new Promise(() => {}) };`, {
      signal: 'SIGINT',
      stopWithinMs: 300,
    });
    assert.equal(exitCode, 1);
    assert.match(text, /did not stop in time/);
  });

  it('ends badly when closing fails, or something else does meanwhile', async () => {
    const failures = {
      'cannot let go': `Promise.reject(new Error('cannot let go'))`,
      surprise: `new Promise((resolve) => setTimeout(() => { setImmediate(resolve); throw new Error('surprise'); }, 20))`,
    };
    for (const [word, close] of Object.entries(failures)) {
      const { exitCode, text } = await lifeOf(`return { log, close: () => ${close} };`, {
        signal: 'SIGTERM',
        stopWithinMs: 2000,
      });
      assert.equal(exitCode, 1, word);
      assert.ok(text.includes(word) && !text.includes('did not stop in time'), text);
    }
  });

  it('finishes its work when it is told to end, but not after an uncaught error or a second signal', async () => {
    const finishing = (then: string) =>
      `const finishWork = (signal) => new Promise((resolve) => {
         console.log('finishing');
         signal.addEventListener('abort', () => (console.log('hurried'), resolve()));
         ${then}
       });
       return { log, finishWork, finishWithinMs: 10_000, close: async () => console.log('closed') };`;
    const finished = await lifeOf(finishing('resolve();'), { signal: 'SIGTERM' });
    assert.equal(finished.exitCode, 0);
    assert.match(finished.text, /finishing\n.*closed/s);
    const hurried = await lifeOf(finishing(`process.kill(process.pid, 'SIGTERM');`), { signal: 'SIGTERM' });
    assert.equal(hurried.exitCode, 0);
    assert.match(hurried.text, /finishing\n.*hurried\n.*closed/s);
    const broken = await lifeOf(finishing(`setImmediate(() => { throw new Error('surprise'); });`), {
      signal: 'SIGTERM',
    });
    assert.equal(broken.exitCode, 1);
    assert.match(broken.text, /hurried\n.*closed/s);
    const died = await lifeOf(`setTimeout(() => { throw new Error('surprise'); }, 50); ${finishing('resolve();')}`);
    assert.equal(died.exitCode, 1);
    assert.doesNotMatch(died.text, /finishing/);
    assert.match(died.text, /closed/s);
  });

  it('says which settings are wrong and ends with 2', async () => {
    const { exitCode, text } = await lifeOf(`throw new SettingsError(['PORT: is required']);`);
    assert.equal(exitCode, 2);
    assert.match(text, /PORT: is required/);
  });

  it('exits on an uncaught error, after closing', async () => {
    const { exitCode, text } = await lifeOf(
      `setTimeout(() => { throw new Error('surprise'); }, 50); return { log, close: async () => console.log('closed') };`,
    );
    assert.equal(exitCode, 1);
    assert.match(text, /surprise/);
    assert.match(text, /closed/s);
  });
});

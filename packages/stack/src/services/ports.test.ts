import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from './ports.ts';

const module = JSON.stringify(new URL('./ports.ts', import.meta.url).href);
/** A process that is given half of all ports, prints them, and lives on. */
const takeHalf = `const { freePort } = await import(${module});
  const ports = await Promise.all(Array.from({ length: 4250 }, freePort));
  console.log(JSON.stringify(ports));
  process.stdin.resume();`;

it('no port is given twice while those who were given it live, nor the one after it', async () => {
  const other = promisify(execFile)(process.execPath, ['--input-type=module', '-e', takeHalf], { timeout: 60_000 });
  const printed = new Promise<string>((resolve) => {
    let text = '';
    other.child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(text);
    });
  });
  try {
    // It fails where the process ends, or its time is over, before it printed them.
    const theirs: number[] = JSON.parse(await Promise.race([printed, other.then(({ stdout }) => stdout)]));
    const ours = await Promise.all(Array.from({ length: 200 }, freePort));
    const all = [...theirs, ...ours].flatMap((port) => [port, port + 1]);
    assert.equal(new Set(all).size, all.length);
  } finally {
    other.child.kill();
    await other.catch(() => {});
  }
});

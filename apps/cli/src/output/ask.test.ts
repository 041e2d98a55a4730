import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { CommandFailure } from '../connection/failure.ts';
import { createAsk } from './ask.ts';

/** What a command reads and writes, with or without a terminal at each end. */
function streams(terminals: { stdin?: boolean; stdout?: boolean; stderr?: boolean }) {
  const made = (isTTY = false) => Object.assign(new PassThrough(), { isTTY });
  return { stdin: made(terminals.stdin), stdout: made(terminals.stdout), stderr: made(terminals.stderr) };
}
const textOf = (stream: PassThrough) => String(stream.read() ?? '');

it('without a terminal nothing is asked, and nothing is written where a program reads', async () => {
  for (const terminals of [{}, { stdin: true }, { stdout: true, stderr: true }, { stdin: true, stderr: true }]) {
    const given = streams(terminals);
    const ask = createAsk(given);
    assert.equal(ask.canAsk, false);
    for (const asking of [ask.secret('Password: '), ask.line('Name: ')])
      await assert.rejects(asking, (error) => error instanceof CommandFailure && error.exit === 'usage');
    assert.deepEqual([textOf(given.stdout), textOf(given.stderr)], ['', '']);
  }
});

it('in a terminal questions go to the standard error, and to the terminal where that is a file', async () => {
  const given = streams({ stdin: true, stdout: true, stderr: true });
  const ask = createAsk(given);
  const secret = ask.secret('Password: ');
  given.stdin.write('hidden\n');
  assert.equal(await secret, 'hidden');
  const line = ask.line('Name: ');
  given.stdin.write('ada\n');
  assert.equal(await line, 'ada');
  const said = textOf(given.stderr);
  assert.ok(said.includes('Password: ') && said.includes('Name: ') && !said.includes('hidden'), said);
  assert.equal(textOf(given.stdout), '');

  const logged = streams({ stdin: true, stdout: true });
  const asked = createAsk(logged).line('Name: ');
  logged.stdin.write('ada\n');
  assert.equal(await asked, 'ada');
  assert.ok(textOf(logged.stdout).includes('Name: '));
});

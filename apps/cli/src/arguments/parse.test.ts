import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandFailure } from '../connection/failure.ts';
import { commands } from './commands.ts';
import { commandHelp, generalHelp } from './help.ts';
import { commonFirst, parseCommand } from './parse.ts';

const wrong: [words: string[], message: RegExp][] = [
  [['fly'], /there is no command "fly"/],
  [['lo'], /there is no command "lo"/],
  [['run'], /PROMPT\|FILE is missing/],
  [['run', 'open', 'it'], /"it" is one word too many; put words into quotes/],
  [['run', 'x', '--planner', 'magic'], /--planner is one of auto, script, llm/],
  [['run', 'x', '--fly'], /--fly/],
  [['run', 'x', '--session'], /--session/],
  [['completion', 'csh'], /SHELL is one of bash, zsh, fish/],
  [['mcp', 'remove'], /"remove" is one word too many/],
];

describe('the words of a command line', () => {
  for (const [words, message] of wrong)
    it(`are refused as usage: ${words.join(' ')}`, () => {
      assert.throws(
        () => parseCommand(words),
        (error) => error instanceof CommandFailure && error.exit === 'usage' && message.test(error.message),
      );
    });

  it('are a command, its arguments and its options, in any order', () => {
    const { name, args, values } = parseCommand(['run', '--domain', 'a.test', 'open it', '--domain', 'b.test', '-d']);
    assert.deepEqual([name, args], ['run', ['open it']]);
    assert.deepEqual({ ...values }, { domain: ['a.test', 'b.test'], detach: true });
    assert.equal(parseCommand(['mcp', 'install', '-t', 'cursor']).name, 'mcp install');
    assert.equal(parseCommand(['mcp']).name, 'mcp');
    assert.deepEqual(parseCommand(['run', '--', '--help']).args, ['--help']);
    // Help needs no arguments.
    assert.equal(parseCommand(['run', '--help']).values.help, true);
  });

  it('may begin with what every command takes', () => {
    const { name, args, values } = parseCommand(['--json', '--url', 'a.test', 'mcp', 'install', '-t', 'codex']);
    assert.deepEqual([name, args, { ...values }], ['mcp install', [], { json: true, url: 'a.test', target: 'codex' }]);
    const { args: words, values: before } = parseCommand(['--url=a.test', 'run', '--', '--json']);
    assert.deepEqual([words, { ...before }], [['--json'], { url: 'a.test' }]);
    assert.deepEqual(commonFirst(['--json', '--help']), { common: ['--json'], rest: ['--help'] });
    for (const [given, message] of [
      [['--json', 'fly'], /there is no command "fly"/],
      [['--limit', 'tasks'], /there is no command "--limit"/],
    ] as const)
      assert.throws(() => parseCommand([...given]), message);
  });

  it('suggest a command that begins alike', () => {
    assert.throws(
      () => parseCommand(['log']),
      (error) => error instanceof CommandFailure && /login or logout or logs/.test(error.hint ?? ''),
    );
  });

  it('are explained: every command, argument and option', () => {
    const general = generalHelp({ SOME_SETTING: 'what it is' });
    for (const command of commands) {
      assert.ok(general.includes(command.what), command.name);
      const own = commandHelp(command);
      for (const [name, { what }] of Object.entries<{ what: string }>(command.options))
        assert.ok(own.includes(`--${name}`) && own.includes(what), `${command.name} --${name}`);
      for (const { name } of command.args) assert.ok(own.includes(name));
    }
    assert.match(general, /SOME_SETTING +what it is/);
    assert.ok(
      general.split('\n').every((line) => line.length <= 110),
      'no line is longer than a terminal is wide',
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Step } from '../tasks/step.ts';
import { secretRefOf, secretRefsIn } from '../types/secret-name.ts';
import { parseScript } from './parse.ts';
import { printScript } from './print.ts';

const stepsOf = (script: string) => {
  const parsed = parseScript(script);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.steps;
};
const errorOf = (script: string) => {
  const parsed = parseScript(script);
  assert.ok(!parsed.ok, 'it was read');
  return parsed.errors[0];
};

test('a script names a secret as the whole text that is typed, and is printed as it was', () => {
  const script = 'type "{{secret:github}}" into "Password"\ntype "{{totp:git-hub_2.x}}" into "Code"';
  const steps = stepsOf(script);
  assert.deepEqual(
    steps.map((step) => (step.action === 'type' ? secretRefOf(step.text) : undefined)),
    [
      { kind: 'secret', name: 'github' },
      { kind: 'totp', name: 'git-hub_2.x' },
    ],
  );
  assert.deepEqual(stepsOf(printScript(steps)), steps);
  assert.match(printScript(steps), /type "\{\{secret:github\}\}" into/);
  assert.deepEqual(stepsOf('fill "Password" with "{{secret:github}}"'), steps.slice(0, 1));
});

test('a secret is refused at its line everywhere else, with a plain sentence', () => {
  const wrong = [
    'type "user:{{secret:github}}" into "Password"',
    'type " {{secret:github}}" into "Password"',
    'type "{{secret:}}" into "Password"',
    'type "{{secret:a/b}}" into "Password"',
    'type "{{SECRET:github}}" into "Password"',
    'open "https://example.com/?q={{secret:github}}"',
    'select "{{secret:github}}" in "List"',
    'click "{{secret:github}}"',
    'press "{{secret:github}}"',
    'ask "What is {{secret:github}}?"',
    'accept dialog with "{{totp:github}}"',
    'click "Go" -- "{{secret:github}}"',
    'step {"action":"type","target":"{{secret:github}}","text":"x"}',
    'step {"action":"upload","target":"File","file":"{{secret:github}}"}',
  ];
  for (const line of wrong) {
    const error = errorOf(`reload\n${line}`);
    assert.equal(error?.line, 2, line);
    const isNamed = /\{\{(secret|totp):github\}\}/.test(line);
    if (isNamed) assert.match(error?.message ?? '', /a secret is named only as the whole text/, line);
  }
  assert.match(
    errorOf('click "{{secret:github}}"')?.message ?? '',
    /a secret is named only as the whole text that is typed/,
  );
});

test('variables still need a single brace, and other double braces are no secrets', () => {
  assert.equal(errorOf('type "{{name}}" into "Password"')?.line, 1);
  assert.deepEqual(stepsOf('let a = "x"\ntype "{a}" into "Name"')[0], { action: 'type', text: 'x', target: 'Name' });
  assert.ok(Step.safeParse({ action: 'type', target: 'Name', text: '{{name}}' }).success);
  assert.ok(!Step.safeParse({ action: 'type', target: 'Name', text: 'my {{secret:x}}' }).success);
});

test('a prompt may name several secrets, each told once', () => {
  const prompt = 'Log in with {{secret:a}} and {{totp:a}}, then {{secret:a}} and {{secret:b}}; not {{secret:}}.';
  assert.deepEqual(secretRefsIn(prompt), [
    { kind: 'secret', name: 'a' },
    { kind: 'totp', name: 'a' },
    { kind: 'secret', name: 'b' },
  ]);
});

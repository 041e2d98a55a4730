// node scripts/broken-lines.ts: breaks lines of the agent's core, one at a time in a scratch copy, and fails where no test
// beside them notices. They decide whether a step runs twice, whether an older agent still acts, and when a task ends.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../testkit/scratch-copy.ts';
import { withServices } from '../testkit/stack/with-services.ts';

type BrokenLine = { what: string; file: string; line: string; broken: string; tests: string[] };

const core = 'apps/agent/src';
const lines: BrokenLine[] = [
  {
    what: 'the limit of failed attempts',
    file: 'policy/retries.ts',
    line: 'const maxFailures = 3;',
    broken: 'const maxFailures = 4;',
    tests: ['policy/retries'],
  },
  {
    what: 'the limit of interrupted attempts',
    file: 'policy/retries.ts',
    line: "if (count('interrupted') >= maxInterruptions)",
    broken: 'if (false)',
    tests: ['task/steps'],
  },
  {
    what: 'an irreversible step that touched the page has no second attempt',
    file: 'policy/retries.ts',
    line: 'if (hasTouched && turn.step.irreversible)',
    broken: 'if (false)',
    tests: ['policy/retries'],
  },
  {
    what: 'an irreversible step whose result is not known is asked about',
    file: 'policy/irreversible.ts',
    line: "return answer ? decisionOf(answer.text) : 'ask';",
    broken: "return answer ? decisionOf(answer.text) : 'none';",
    tests: ['policy/irreversible'],
  },
  {
    what: 'an answer from before the attempt decides nothing',
    file: 'policy/irreversible.ts',
    line: 'Date.parse(asked_at) >= since',
    broken: 'Date.parse(asked_at) >= 0',
    tests: ['policy/irreversible'],
  },
  {
    what: 'a claim of a running task raises the epoch',
    file: 'task/claim.ts',
    line: 'isReplacing ? await store.browsers.fence(tx, session_id) : undefined',
    broken: 'undefined',
    tests: ['task/run', 'task/open-attempt', 'task/takeover'],
  },
  {
    what: 'five claims without progress end a task',
    file: 'task/claim.ts',
    line: "if (task.fruitless > maxClaimsWithoutProgress && task.status === 'running')",
    broken: 'if (false)',
    tests: ['task/run'],
  },
  {
    what: 'an open attempt is settled before the new driver is told',
    file: 'task/open-attempt.ts',
    line: 'const ended = await browsers.answerOf(session.id, handle, open.command_id);',
    broken: 'const ended = undefined as Awaited<ReturnType<typeof browsers.answerOf>>;',
    tests: ['task/open-attempt'],
  },
  {
    what: 'an attempt of which nothing is known may have acted',
    file: 'task/open-attempt.ts',
    line: 'const mayHaveActed = known?.mayHaveActed ?? !isUnheard;',
    broken: 'const mayHaveActed = known?.mayHaveActed ?? false;',
    tests: ['task/open-attempt'],
  },
  {
    what: 'a failed attempt that touched the page is recorded so',
    file: 'task/failed-step.ts',
    line: "{ status: 'failed', error, mayHaveActed: hasTouched }",
    broken: "{ status: 'failed', error, mayHaveActed: false }",
    tests: ['task/steps'],
  },
  {
    what: 'a person drives only after the host has stopped the agent',
    file: 'task/takeover.ts',
    line: 'if (await browsers.setDriver(session.id, handle, { isPerson: true }).catch(() => false))',
    broken: 'if (true)',
    tests: ['task/takeover'],
  },
  {
    what: 'the agent looks at the page when it is handed back',
    file: 'task/takeover.ts',
    line: "if (standing?.status === 'resuming') await resume(turn);",
    broken: '',
    tests: ['task/takeover'],
  },
  {
    what: 'a task that a person has is left alone',
    file: 'task/run.ts',
    line: "if (task.status === 'awaiting_user' || task.status === 'takeover') return 'wait';",
    broken: '',
    tests: ['task/run', 'task/takeover'],
  },
  {
    what: 'the time limit ends a task',
    file: 'task/run.ts',
    line: 'if (turn.leftMs <= 0)',
    broken: 'if (false)',
    tests: ['task/run'],
  },
  {
    what: 'an attempt that was ended by another agent is not ended again',
    file: 'ledger/attempts.ts',
    line: 'if (!ended) throw new TaskNotHeld();',
    broken: 'if (!ended) return;',
    tests: ['ledger/ledger'],
  },
];

const copy = mkdtempSync(join(tmpdir(), 'pilothouse-broken-'));
try {
  copyProject(copy);
  process.exitCode = await withServices(`broken-${process.pid}`, async (services) => {
    await services.start('postgres');
    const env = { ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() };
    if (!passes([...new Set(lines.flatMap(({ tests }) => tests))], env))
      throw new Error('the tests fail on whole lines');
    const unnoticed = lines.filter((line) => !notices(line, env));
    console.log(`${lines.length - unnoticed.length} of ${lines.length} broken lines are noticed`);
    return unnoticed.length === 0 ? 0 : 1;
  });
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function notices({ what, file, line, broken, tests }: BrokenLine, env: NodeJS.ProcessEnv): boolean {
  const path = join(copy, core, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(line).length !== 2) throw new Error(`${file} has to hold once: ${line}`);
  writeFileSync(
    path,
    text.replace(line, () => broken),
  );
  const isNoticed = !passes(tests, env);
  writeFileSync(path, text);
  console.log(`${isNoticed ? 'noticed' : 'NOT noticed'}: ${what} (${file})`);
  return isNoticed;
}

function passes(tests: string[], env: NodeJS.ProcessEnv): boolean {
  const files = tests.map((test) => join(core, `${test}.test.ts`));
  const args = ['--test', '--test-concurrency=1', '--test-timeout=60000', ...files];
  return spawnSync(process.execPath, args, { cwd: copy, env, stdio: 'ignore', timeout: 300_000 }).status === 0;
}

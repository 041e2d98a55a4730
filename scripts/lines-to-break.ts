// Lines of the agent's core that must not change unnoticed, each with how `node scripts/broken-lines.ts` breaks it.

export type BrokenLine = { what: string; file: string; line: string; broken: string; tests: string[] };

/** The folder of the files. */
export const core = 'apps/agent/src';
export const brokenLines: BrokenLine[] = [
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
    line: 'if (hasTouched && isOnceOnly(turn))',
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
    line: "attempt, { status: 'failed', error, mayHaveActed: hasTouched,",
    broken: "attempt, { status: 'failed', error, mayHaveActed: false,",
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

/** Whether the text has the line once, so that it can be broken. */
export const holdsOnce = (text: string, line: string): boolean => text.split(line).length === 2;

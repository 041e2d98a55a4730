// The exit codes of the command, for scripts. A code never changes its meaning.

export const exitCodes = {
  done: { code: 0, what: 'Done; a task that was waited for ended in `success`' },
  failed: { code: 1, what: 'A task failed, the server refused, or a file of evidence was changed' },
  usage: { code: 2, what: 'The command was not understood' },
  unreachable: { code: 3, what: 'The server was not reached' },
  login: { code: 4, what: 'Not logged in, or not allowed' },
  needsPerson: { code: 5, what: 'The task waits for a person (`run --exit-on-question`)' },
  cancelled: { code: 6, what: 'The task was cancelled elsewhere' },
  interrupted: { code: 130, what: 'Ctrl-C: the task was cancelled, or left running if you said so' },
} as const;
export type ExitName = keyof typeof exitCodes;

export const codeOf = (name: ExitName): number => exitCodes[name].code;

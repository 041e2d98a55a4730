// The table of commands.

import type { Argument, Command, Option } from './command.ts';

export const mcpTargets = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'gemini', 'windsurf', 'codex'] as const;
export const shells = ['bash', 'zsh', 'fish'] as const;

const task: Argument = { name: 'TASK', what: 'The id of a task, or `last` for the newest' };
const session: Argument = { name: 'SESSION', what: 'The id of a session, or `last` for the newest' };
const either: Argument = { name: 'ID', what: 'The id of a task or of a session, or `last` for the newest task' };
const limit: Option = { type: 'string', short: 'n', value: 'N', what: 'How many, at most (20)' };
const open: Option = { type: 'boolean', what: 'Open the page of the session in a browser' };

const port: Option = {
  type: 'string',
  value: 'PORT',
  what: 'The port of the server (4000, or another if it is taken)',
};
const noOpen: Option = { type: 'boolean', what: 'Do not open the console in a browser' };

export const commands = [
  {
    name: 'demo',
    what: 'Start everything on this machine with a shop to visit, until Ctrl-C',
    more: [
      'Starts PostgreSQL, NATS, a server, an agent and a browser host, without logins, for this machine only.',
      'Needs Linux, Node 24, Chromium, and no root. Ctrl-C stops everything and removes its data.',
    ],
    args: [],
    options: {
      port,
      data: { type: 'string', value: 'DIR', isFile: true, what: 'An empty folder for its data, removed in the end' },
      'no-open': noOpen,
    },
    examples: ['pilothouse demo', 'pilothouse demo --no-open --json'],
  },
  {
    name: 'up',
    what: 'Start a server for yourself on this machine, with data that is kept, until Ctrl-C',
    more: [
      'As `demo`, with logins and without the shop. The first start prints a link that makes you the administrator.',
      'Settings of server, agent and browser host are taken from the environment.',
    ],
    args: [],
    options: {
      port,
      data: {
        type: 'string',
        value: 'DIR',
        isFile: true,
        what: 'Where its data is kept ($XDG_DATA_HOME/pilothouse/up)',
      },
      'no-open': noOpen,
    },
  },
  {
    name: 'login',
    what: 'Log in to a server, and keep an API key for it',
    more: [
      'Asks for what is not given. With a password, an API key is made at the server and stored; the password is not.',
      'An API key is read from the terminal or from standard input, never from the command line, where others can see it.',
    ],
    args: [{ name: 'URL', what: 'The server, such as https://pilothouse.example.com', isOptional: true }],
    options: {
      username: { type: 'string', short: 'u', value: 'NAME', what: 'User name or e-mail address' },
      'with-key': { type: 'boolean', what: 'Read an API key from standard input in place of a password' },
    },
    examples: ['pilothouse login http://127.0.0.1:4000', 'pilothouse login --with-key <key.txt'],
  },
  {
    name: 'logout',
    what: 'Forget the login, and remove the key that it made',
    more: ['Asks for your password to remove the key at the server: a key cannot remove keys.'],
    args: [],
    options: {},
  },
  {
    name: 'run',
    what: 'Run a task and watch it: words for a model, or a script',
    more: [
      'Prints each step as it is done, and then the result. A question of the task is asked in the terminal.',
      'Ctrl-C asks whether to cancel the task. Without a terminal it cancels at once.',
    ],
    args: [
      {
        name: 'PROMPT|FILE',
        what: 'Words, lines of a script, a file with them, or - for standard input',
        isFile: true,
      },
    ],
    options: {
      session: { type: 'string', short: 's', value: 'ID', what: 'Use the browser of this session' },
      profile: { type: 'string', value: 'LABEL', what: 'Begin with the saved logins of this profile' },
      planner: { type: 'string', choices: ['auto', 'script', 'llm'], what: 'Who decides the steps' },
      model: { type: 'string', value: 'NAME', what: 'Which model plans' },
      'confirm-plan': { type: 'boolean', what: 'Agree to the plan of the model before it acts' },
      mode: { type: 'string', choices: ['standard', 'careful', 'watch'], what: 'Which acts need a yes' },
      domain: { type: 'string', multiple: true, value: 'HOST', what: 'Stay on this site; may be repeated' },
      file: {
        type: 'string',
        multiple: true,
        value: 'PATH',
        isFile: true,
        what: 'A file for `upload`; may be repeated',
      },
      'max-steps': { type: 'string', value: 'N', what: 'Most steps' },
      'max-cost': { type: 'string', value: 'DOLLARS', what: 'Most that the model may cost' },
      'time-limit': { type: 'string', value: 'SECS', what: 'Most seconds of work' },
      'idempotency-key': { type: 'string', value: 'KEY', what: 'Names the work: sent again, it is not done twice' },
      'exit-on-question': { type: 'boolean', what: 'End with code 5 when a person is needed; the task waits' },
      detach: { type: 'boolean', short: 'd', what: 'Start it, print its ids, and do not wait' },
      open,
    },
    examples: [
      'pilothouse run "Find the cheapest lantern" --planner llm --max-cost 0.50',
      'pilothouse run script.txt --open',
      'pilothouse run script.txt --json | tail -n 1',
    ],
  },
  {
    name: 'tasks',
    what: 'List tasks, newest first',
    args: [],
    options: {
      status: {
        type: 'string',
        choices: ['pending', 'running', 'awaiting_user', 'takeover', 'success', 'failed', 'cancelled'],
        what: 'Only these',
      },
      session: { type: 'string', short: 's', value: 'ID', what: 'Only those of this session' },
      limit,
    },
  },
  {
    name: 'sessions',
    what: 'List sessions, newest activity first',
    args: [],
    options: {
      status: { type: 'string', choices: ['idle', 'active', 'takeover', 'closed'], what: 'Only these' },
      limit,
    },
  },
  {
    name: 'logs',
    what: 'Print the log of a task',
    args: [task],
    options: {
      follow: { type: 'boolean', short: 'f', what: 'Go on until the task ends' },
      level: { type: 'string', choices: ['debug', 'info', 'warn', 'error'], what: 'From this level upwards' },
    },
    examples: ['pilothouse logs last -f'],
  },
  {
    name: 'inbox',
    what: 'List what waits for a person',
    args: [],
    options: {},
  },
  {
    name: 'answer',
    what: 'Answer the question of a task',
    args: [
      task,
      { name: 'WORDS', what: 'The answer, or the value of one of the choices; asked for if missing', isOptional: true },
    ],
    options: {},
    examples: ['pilothouse answer last "the blue one"'],
  },
  {
    name: 'approve',
    what: 'Say yes or no to an act that a task waits for',
    more: [
      'Shows the act first. The yes holds for it as it is shown: if the page changes before, you are asked again.',
    ],
    args: [task],
    options: {
      yes: { type: 'boolean', short: 'y', what: 'Yes, this once, without asking' },
      kind: { type: 'boolean', what: 'Yes to this class of act on this site, for this task, without asking' },
      no: { type: 'boolean', what: 'No, without asking' },
    },
  },
  {
    name: 'cancel',
    what: 'Cancel a task',
    args: [task],
    options: { reason: { type: 'string', value: 'TEXT', what: 'Why; kept with the task' } },
  },
  {
    name: 'take',
    what: 'Take the browser over from the agent',
    more: ['Drive it on the page of the session, which is printed; `return` hands it back.'],
    args: [either],
    options: {
      now: { type: 'boolean', what: 'Interrupt the running step; without --reason and --secs' },
      reason: { type: 'string', value: 'TEXT', what: 'Why; shown to others' },
      secs: { type: 'string', value: 'SECS', what: 'How long without input until it goes back (300)' },
      open,
    },
  },
  {
    name: 'return',
    what: 'Hand the browser back to the agent',
    args: [either],
    options: { note: { type: 'string', value: 'TEXT', what: 'What you did, for the agent' } },
  },
  {
    name: 'share',
    what: 'Make a link with which a session can be watched without a login',
    args: [session],
    options: {
      secs: { type: 'string', value: 'SECS', what: 'How long it is valid (86400)' },
      revoke: { type: 'boolean', what: 'End the share' },
    },
  },
  {
    name: 'cdp',
    what: 'Give the address at which a program drives a session over the DevTools protocol',
    more: ['Without a session a new one is opened. The address opens one connection within a minute.'],
    args: [{ ...session, isOptional: true }],
    options: {
      script: { type: 'boolean', what: 'A person wrote what the program does: it needs no yes in the mode standard' },
      wait: { type: 'boolean', what: 'A takeover looks like a page that loads, instead of a refusal' },
      open,
    },
  },
  {
    name: 'evidence',
    what: 'Save what is recorded of a task as one signed file',
    args: [task],
    options: {
      output: { type: 'string', short: 'o', value: 'FILE', isFile: true, what: 'Where to (evidence-TASK.ndjson)' },
    },
  },
  {
    name: 'verify',
    what: 'Say whether a file of evidence is as it was signed; needs no server',
    more: ['Without --key only the key that the file itself names is checked: that finds damage, and no forger.'],
    args: [{ name: 'FILE', what: 'The file', isFile: true }],
    options: {
      key: { type: 'string', value: 'KEY|FILE', isFile: true, what: 'The public key of the server, in base64 or PEM' },
    },
  },
  {
    name: 'mcp',
    what: 'Be an MCP server on standard input and output, for agents that start one',
    args: [],
    options: {},
  },
  {
    name: 'mcp install',
    what: 'Write this MCP server into the settings of an agent',
    more: ['Shows what it writes. The API key stays where login put it, and is not written.'],
    args: [],
    options: {
      target: { type: 'string', short: 't', choices: mcpTargets, what: 'The agent' },
      print: { type: 'boolean', what: 'Only show it' },
    },
    examples: ['pilothouse mcp install --target claude-code'],
  },
  { name: 'doctor', what: 'Say what is missing here, and how to get it', args: [], options: {} },
  {
    name: 'completion',
    what: 'Print the completions of a shell',
    args: [{ name: 'SHELL', what: 'bash, zsh or fish', choices: shells }],
    options: {},
    examples: ['pilothouse completion bash >~/.local/share/bash-completion/completions/pilothouse'],
  },
] as const satisfies readonly Command[];

export type CommandName = (typeof commands)[number]['name'];

// The rooms of each source folder, and which of them each may import. scripts/imports.ts holds the code to it, scripts/layout.ts prints it.

export type Room = { what: string; imports: string[] };
export type House = {
  /** Files that may lie beside the rooms: entry points, settings, and what puts the rooms together. */
  entries: string[];
  rooms: Record<string, Room>;
};

/** The most files that a folder may have without rooms. */
export const flatFiles = 9;
const words = (list: string): string[] => list.split(' ');
const sources = (names: string): string[] => words(names).map((name) => `${name}.ts`);

export const houses: Record<string, House> = {
  'packages/contract/src': {
    entries: ['index.ts'],
    rooms: {
      routes: {
        what: 'The table of routes, and the shapes of logins and health.',
        imports: ['sessions', 'tasks', 'types'],
      },
      sessions: { what: 'Shapes of sessions, events, input and recordings.', imports: ['tasks', 'types'] },
      script: { what: 'The script language: parser, printer, suggestions.', imports: ['tasks', 'types'] },
      tasks: { what: 'Shapes of tasks, steps, takeovers and views.', imports: ['types'] },
      types: { what: 'Ids, times, text, errors, and the type of a route.', imports: [] },
      wire: {
        what: 'What clients load of the contract: routes, states, kinds and codes, without schemas.',
        imports: ['routes', 'sessions', 'tasks', 'types'],
      },
    },
  },
  'packages/bus/src': {
    entries: ['index.ts', 'nats-config.main.ts'],
    rooms: {
      access: {
        what: 'Users of the bus and their permissions, as a NATS configuration.',
        imports: ['transport', 'wire'],
      },
      messages: {
        what: 'One file a message: commands, input, frames, reports, wake-ups.',
        imports: ['transport', 'wire'],
      },
      transport: { what: 'Request, respond, publish and subscribe over NATS.', imports: ['wire'] },
      wire: { what: 'Codecs, subjects, definitions of messages, deadlines.', imports: [] },
    },
  },
  'packages/store/src': {
    entries: ['index.ts', 'store.ts', 'migrate.main.ts'],
    rooms: {
      admin: { what: 'What administrators read of everything.', imports: ['fleet', 'accounts', 'db'] },
      transitions: {
        what: 'Changes that move several tables together, with their events.',
        imports: ['views', 'takeovers', 'ledger', 'tasks', 'fleet', 'sessions', 'accounts', 'db'],
      },
      views: {
        what: 'Rows in the words of the API, and reads that span tables.',
        imports: ['takeovers', 'ledger', 'tasks', 'sessions', 'accounts', 'db'],
      },
      takeovers: { what: 'The rows of takeovers and pointers.', imports: ['fleet', 'sessions', 'accounts', 'db'] },
      ledger: { what: 'Steps, executions, observations, files and typed text of tasks.', imports: ['db'] },
      tasks: {
        what: 'Tasks, their clock, their queue, questions, waiting and stuck tasks.',
        imports: ['fleet', 'accounts', 'db'],
      },
      recordings: { what: 'Frames, recordings and their retention.', imports: ['fleet', 'sessions', 'db'] },
      retention: { what: 'What is removed by age, and which agent has claimed that work.', imports: ['db'] },
      fleet: {
        what: 'Browsers, hosts and agents: which host holds a session, under which epoch, and who waits.',
        imports: ['sessions', 'db'],
      },
      sessions: { what: 'Sessions, their event log, shares, viewers and profiles.', imports: ['accounts', 'db'] },
      accounts: { what: 'Users, logins, API keys, quotas, rate limits, audit, idempotency.', imports: ['db'] },
      blobs: { what: 'Pictures and files, in a folder or in a bucket of S3.', imports: [] },
      db: {
        what: 'Connection, transactions, migrations, claims of timer jobs, ids, cursors, encryption.',
        imports: [],
      },
    },
  },
  'packages/process/src': {
    entries: sources('index cached database-checks idle-memory log ops run secrets settings'),
    rooms: { tracing: { what: 'Spans of this process, and the one home of OpenTelemetry.', imports: [] } },
  },
  'packages/sdk/src': {
    entries: ['index.ts'],
    rooms: {
      login: { what: 'Login, token renewal, and one login for all tabs.', imports: ['client', 'common'] },
      tasks: {
        what: 'A task from its start to its end: progress, questions, files, takeover.',
        imports: ['client', 'streams', 'common'],
      },
      client: { what: 'One typed function for each route.', imports: ['shared-tabs', 'streams', 'common'] },
      'shared-tabs': {
        what: 'One event stream for all tabs of a browser, in a SharedWorker.',
        imports: ['streams', 'common'],
      },
      streams: { what: 'Event streams that reconnect without gaps.', imports: ['common'] },
      common: { what: 'Errors, tokens, clocks, locks between tabs.', imports: [] },
    },
  },
  'packages/stack/src': {
    entries: ['index.ts'],
    rooms: {
      local: {
        what: 'A whole installation on this machine for one person: its folder, ports and logs.',
        imports: ['programs', 'stack', 'services', 'demo'],
      },
      programs: { what: 'Which programs this machine has for an installation.', imports: ['stack'] },
      stack: { what: 'Every process of an installation: planned, started, stopped.', imports: ['services'] },
      services: { what: 'PostgreSQL and NATS of one stack; processes, ports, locks, environments.', imports: [] },
      demo: { what: 'The shop of demos and tests.', imports: [] },
    },
  },
  'apps/server/src': {
    entries: ['main.ts', 'app.ts', 'config.ts', 'admin.main.ts'],
    rooms: {
      admin: { what: 'The operator command, and the routes of administrators.', imports: ['auth', 'http'] },
      mcp: {
        what: 'MCP at `/mcp`: tools over the routes of the contract.',
        imports: ['live', 'http', 'sse', 'delivery'],
      },
      cdp: {
        what: 'Programs that drive a browser: tickets, sockets, and when they have the wheel.',
        imports: ['auth', 'http', 'sse'],
      },
      chat: { what: 'POST /api/chat and rerun.', imports: ['sessions', 'http'] },
      recordings: { what: 'Recordings.', imports: ['sessions', 'live', 'auth', 'http'] },
      sessions: { what: 'Sessions, shares, profiles, snapshots.', imports: ['live', 'auth', 'http', 'sse'] },
      secrets: { what: 'Secrets: written, listed by name, removed.', imports: ['http'] },
      evidence: { what: 'Evidence of a task: its records, in a signed bundle.', imports: ['tasks', 'http'] },
      tasks: { what: 'Reads, streams and commands of tasks.', imports: ['takeover', 'live', 'auth', 'http', 'sse'] },
      takeover: { what: 'A person takes over a browser, sends input, and hands it back.', imports: ['auth', 'http'] },
      live: { what: 'Events and frames to viewers, and what each viewer may see.', imports: ['http', 'sse'] },
      auth: { what: 'Logins, keys, and who is calling.', imports: ['http', 'sse'] },
      service: { what: 'Health and OpenAPI.', imports: ['http'] },
      metrics: { what: 'Metrics of the whole installation, out of the database.', imports: [] },
      console: { what: 'The built console at `/`.', imports: [] },
      http: { what: 'Routing, validation, problems, request log.', imports: ['sse', 'delivery'] },
      sse: { what: 'Server-sent event streams, and how many one caller may have.', imports: ['delivery'] },
      delivery: {
        what: 'Answers on their way to a slow reader: bounds by user and address, and cutting.',
        imports: [],
      },
    },
  },
  'apps/console/src': {
    entries: ['main.tsx', 'router.tsx'],
    rooms: {
      admin: { what: 'The pages of administrators.', imports: ['frame', 'tasks', 'api', 'ui', 'common'] },
      home: {
        what: 'The first page: composer, what waits for a person, sessions.',
        imports: ['inbox', 'sessions', 'chat', 'frame', 'api', 'ui', 'common'],
      },
      inbox: {
        what: 'What waits for a person, and the answer to it.',
        imports: ['sessions', 'frame', 'approval', 'tasks', 'api', 'ui', 'common'],
      },
      sessions: {
        what: 'Lists of sessions, the page of one, and what a guest sees of it.',
        imports: ['frame', 'axis', 'drawer', 'window', 'tasks', 'live', 'api', 'ui', 'common'],
      },
      axis: { what: 'The time axis, and looking back.', imports: ['window', 'tasks', 'live', 'api', 'ui', 'common'] },
      drawer: {
        what: 'Logs, executions, events, files and settings of a task.',
        imports: ['approval', 'tasks', 'live', 'api', 'ui', 'common'],
      },
      window: {
        what: 'The browser window with its marks, and the bar that says who drives.',
        imports: ['asked', 'approval', 'live', 'ui', 'common'],
      },
      asked: {
        what: 'What the page asks of the person who drives: dialogs, files, lists, dates.',
        imports: ['live', 'api', 'ui', 'common'],
      },
      tasks: {
        what: 'The timeline of a task: steps, questions, result, what comes next.',
        imports: ['approval', 'compose', 'live', 'api', 'ui', 'common'],
      },
      approval: {
        what: 'The card that asks for a yes to one act, and what the policy said of a step.',
        imports: ['live', 'ui', 'common'],
      },
      live: {
        what: 'What is live, without React: who drives, inputs, frames, marks, the view of a session.',
        imports: [],
      },
      settings: {
        what: 'Account, logins, keys, policy, profiles, secrets, look.',
        imports: ['frame', 'auth', 'live', 'api', 'ui', 'common'],
      },
      chat: { what: 'Where a person says what should be done.', imports: ['compose', 'api', 'ui', 'common'] },
      compose: {
        what: 'The field of a prompt, the script editor (loaded when a script is written), and the limits of a task.',
        imports: ['api', 'ui'],
      },
      frame: {
        what: 'What is around every page: rail, top bar, notices, shortcuts.',
        imports: ['palette', 'auth', 'api', 'ui', 'common'],
      },
      palette: {
        what: 'Search and commands over any page, and the list of keys.',
        imports: ['auth', 'api', 'ui', 'common'],
      },
      auth: { what: 'Log in, register, and the dialog when a login is lost.', imports: ['api', 'ui'] },
      api: { what: 'The login, the client and the cache: everything that is read from the server.', imports: [] },
      ui: {
        what: 'Buttons, fields, dialogs and the like. They know nothing of sessions or tasks.',
        imports: ['common'],
      },
      common: { what: 'Theme, the clock, times in words, shortcuts, values that the browser keeps.', imports: [] },
    },
  },
  'apps/cli/src': {
    entries: ['main.ts', 'config.ts'],
    rooms: {
      commands: { what: 'One function for each command.', imports: ['arguments', 'mcp', 'output', 'connection'] },
      arguments: {
        what: 'The table of commands; the parser, help and completions out of it.',
        imports: ['connection'],
      },
      mcp: { what: 'The MCP bridge, and the settings files of agents.', imports: ['arguments', 'connection'] },
      output: { what: 'Lines, progress and questions on a terminal or in a file.', imports: ['connection'] },
      connection: { what: 'Which server, as whom; credentials, failures, exit codes.', imports: [] },
    },
  },
  'apps/agent/src': {
    entries: ['main.ts', 'config.ts', 'replay.main.ts'],
    rooms: {
      background: { what: 'Jobs that every agent runs on a timer.', imports: ['ledger', 'browsers', 'common'] },
      'host-events': {
        what: 'What hosts send by themselves: heartbeats, checkpoints, reports, frames to record.',
        imports: ['common'],
      },
      queue: {
        what: 'Takes tasks that are due and runs each until it waits or ends.',
        imports: ['task', 'ledger', 'common'],
      },
      task: { what: 'Runs one task, one step at a time.', imports: ['planner', 'policy', 'ledger', 'browsers'] },
      planner: {
        what: 'Decides the next step of a task: the next one given, or what a model says.',
        imports: ['model', 'policy', 'ledger', 'browsers'],
      },
      model: { what: 'Asks a language model once, whichever vendor has it.', imports: [] },
      policy: { what: 'May a step run again, or must a person decide?', imports: ['ledger'] },
      ledger: {
        what: 'Writes intents, effects, evidence and questions, each in one transaction.',
        imports: ['browsers'],
      },
      browsers: { what: 'Finds, opens, drives and parks the browser of a session at a host.', imports: [] },
      common: { what: 'Timers and coalescing.', imports: [] },
    },
  },
  'apps/browser/src': {
    entries: ['main.ts', 'config.ts'],
    rooms: {
      host: {
        what: 'This process: its lease, the sessions it holds, what it reports to agents.',
        imports: ['session', 'state', 'pages', 'chromium', 'limits', 'common'],
      },
      session: {
        what: 'One session: takes commands, answers each once, and puts the rooms below together.',
        imports: words(
          'actions input prompts live state driver pages dom dom/worlds chromium cdp/filter cdp/fence cdp/policy guard guard/rules common',
        ),
      },
      actions: {
        what: 'Does one step for an agent.',
        imports: ['driver', 'pages', 'dom', 'dom/worlds', 'dom/injected', 'guard', 'guard/rules', 'common'],
      },
      input: {
        what: 'Does what a person does: mouse, keyboard, address bar, file choosers.',
        imports: ['prompts', 'pages', 'dom/worlds', 'dom/injected', 'guard/rules', 'common'],
      },
      prompts: {
        what: 'What pages ask of a person who drives: dialogs, lists, pickers; what is copied; and who is told of it.',
        imports: ['pages', 'dom', 'dom/injected', 'common'],
      },
      live: {
        what: 'Pictures of the page: screencast, polling, screenshots, and who may see them.',
        imports: ['pages', 'dom', 'common'],
      },
      state: {
        what: 'Saves and restores cookies, storage and open pages.',
        imports: ['pages', 'dom/worlds', 'dom/injected', 'chromium', 'guard/rules', 'common'],
      },
      driver: { what: 'Who drives (epoch), what is in flight, and how it is stopped.', imports: ['pages', 'common'] },
      pages: {
        what: 'The open pages of a session: dialogs, popups, loading, downloads and uploads.',
        imports: ['dom/worlds', 'limits', 'common'],
      },
      dom: {
        what: 'Finds, measures, outlines, reads and masks elements.',
        imports: ['dom/worlds', 'dom/injected', 'common'],
      },
      'dom/worlds': {
        what: 'Isolated JavaScript worlds of every document and frame of a page.',
        imports: ['dom/injected', 'common'],
      },
      'dom/injected': {
        what: 'Code that runs inside the page. Each file exports one function that stands alone: its text is sent.',
        imports: ['dom/injected/element'],
      },
      'dom/injected/element': { what: 'Facts about one element: role, name, visible, secret.', imports: [] },
      chromium: {
        what: 'Starts, pools and ends Chromium: sandbox, system calls, unix user, folder, flags.',
        imports: ['cdp', 'guard', 'limits', 'common'],
      },
      'cdp/fence': {
        what: 'What becomes of a guest while another drives: its commands, what it holds down, what it switched on.',
        imports: ['cdp'],
      },
      'cdp/acts': {
        what: 'What a guest does to the pages: which commands are acts, what they are about, and how they are told.',
        imports: ['cdp', 'dom/injected', 'dom/worlds'],
      },
      'cdp/policy': {
        what: 'Acts of a guest that are judged before they are done: which they are, and their order.',
        imports: [],
      },
      'cdp/filter': {
        what: 'What a guest of the pipe may say and see: the table of commands, rules for parameters, targets, worlds.',
        imports: ['cdp/fence', 'cdp/acts', 'cdp/policy', 'cdp', 'guard/rules', 'common'],
      },
      cdp: {
        what: 'The pipe that drives one Chromium: messages of the DevTools protocol, and who gets which.',
        imports: ['common'],
      },
      guard: {
        what: 'The egress proxy: the only way of a browser to the network.',
        imports: ['guard/rules', 'common'],
      },
      'guard/rules': { what: 'Which addresses, domains and schemes may be reached.', imports: ['common'] },
      limits: { what: 'Resource limits: memory, CPU, disk, processes, priority.', imports: ['common'] },
      common: { what: 'Deadlines, failures, work that may fail, ids, key codes.', imports: [] },
    },
  },
};

// Every bench: its full size, which options change, and its small size, which CI runs. Each module is loaded when it is
// asked for, because an engine that one bench needs must not weigh on another.

export type Sizes = {
  count: number;
  rounds: number;
  requests: number;
  sessions: number;
  /** Where several were given, with commas between. */
  sessionsInTurn: number[];
  every: number;
  secs: number;
  minutes: number;
  tasks: number;
  streams: number;
  clients: number;
  viewers: number;
  stored: number;
  history: number;
  live: number;
  agents: number;
  events: number;
  pictures: number;
  presses: number;
  steps: number;
};
type Bench = { full: (sizes: Sizes) => Promise<object>; small: () => Promise<object> };

const define = <B extends Record<string, Bench>>(all: B) => all;

export const benches = define({
  slice: {
    full: async ({ count }) => (await import('./tasks/slice.ts')).measureSlice(count),
    small: async () => (await import('./tasks/slice.ts')).measureSlice(4),
  },
  actions: {
    full: async ({ rounds }) => (await import('./browser/actions.ts')).measureActions(rounds),
    small: async () => (await import('./browser/actions.ts')).measureActions(1),
  },
  cdp: {
    full: async ({ rounds }) => (await import('./browser/cdp.ts')).measureCdp(rounds),
    small: async () => (await import('./browser/cdp.ts')).measureCdp(1),
  },
  relay: {
    full: async ({ rounds, requests }) => (await import('./browser/relay.ts')).measureRelay({ rounds, requests }),
    small: async () => (await import('./browser/relay.ts')).measureRelay({ rounds: 1, requests: 20 }),
  },
  view: {
    full: async ({ rounds }) => (await import('./browser/view.ts')).measureView(rounds),
    small: async () => (await import('./browser/view.ts')).measureView(2),
  },
  open: {
    full: async ({ count }) => (await import('./browser/open.ts')).measureOpen({ opens: count, restores: count }),
    small: async () => (await import('./browser/open.ts')).measureOpen({ opens: 5, restores: 1 }),
  },
  density: {
    full: async ({ sessions, secs }) => (await import('./browser/density.ts')).measureDensity({ sessions, secs }),
    small: async () =>
      (await import('./browser/density.ts')).measureDensity({ sessions: 2, secs: 4, everySecs: 1, turns: 1 }),
  },
  sizing: {
    full: async ({ sessionsInTurn, every, rounds }) => {
      const sessions = sessionsInTurn.length > 1 ? sessionsInTurn : [4, 8, 12, 16, 24, 32, 40, 48];
      return (await import('./browser/sizing.ts')).measureSizing({ sessions, everySecs: every, rounds });
    },
    small: async () =>
      (await import('./browser/sizing.ts')).measureSizing({
        sessions: [1, 2],
        everySecs: 1,
        rounds: 6,
        isToTheEnd: true,
      }),
  },
  auth: {
    full: async ({ rounds, requests }) => (await import('./server/auth.ts')).measureAuth({ rounds, requests }),
    small: async () => (await import('./server/auth.ts')).measureAuth({ rounds: 1, requests: 30, warmUp: 30 }),
  },
  spans: {
    full: async ({ requests }) => (await import('./server/spans.ts')).measureSpans(requests),
    small: async () => (await import('./server/spans.ts')).measureSpans(200),
  },
  mcp: {
    full: async ({ rounds, requests }) => (await import('./server/mcp.ts')).measureMcp({ rounds, requests }),
    small: async () => (await import('./server/mcp.ts')).measureMcp({ rounds: 1, requests: 30, warmUp: 10 }),
  },
  live: {
    full: async ({ count }) => (await import('./browser/live.ts')).measureLive(count),
    small: async () => (await import('./browser/live.ts')).measureLive(3),
  },
  wheel: {
    full: async ({ count }) => (await import('./tasks/takeover.ts')).measureWheel(count),
    small: async () => (await import('./tasks/takeover.ts')).measureWheel(3),
  },
  watched: {
    full: async ({ sessions, minutes }) => (await import('./browser/watched.ts')).measureWatched({ sessions, minutes }),
    small: async () => {
      const { measureWatched } = await import('./browser/watched.ts');
      return measureWatched({ sessions: 1, minutes: 0.05, settleMs: 1000, sampleMs: 1000 });
    },
  },
  animated: {
    full: async ({ minutes }) => (await import('./browser/animated.ts')).measureAnimated(minutes),
    small: async () => (await import('./browser/animated.ts')).measureAnimated(0.05, 1),
  },
  recovery: {
    full: async ({ rounds }) => (await import('./tasks/recovery.ts')).measureRecovery(rounds),
    small: async () => (await import('./tasks/recovery.ts')).measureRecovery(1),
  },
  idle: {
    full: async ({ count }) => (await import('./tasks/statements.ts')).measureStatements({ secs: 60, count }),
    small: async () => (await import('./tasks/statements.ts')).measureStatements({ secs: 10, count: 5 }),
  },
  sessions: {
    full: async ({ live, agents, minutes }) =>
      (await import('./tasks/sessions.ts')).measureSessions({ few: 50, many: live, agents, secs: minutes * 60 }),
    small: async () => {
      const { measureSessions } = await import('./tasks/sessions.ts');
      return measureSessions({ few: 4, many: 12, agents: 1, secs: 6, everySecs: 1, stepsPerTask: 10, idleSecs: 5 });
    },
  },
  thinking: {
    full: async ({ clients }) => (await import('./tasks/thinking.ts')).measureThinking({ tasks: clients, secs: 60 }),
    small: async () => (await import('./tasks/thinking.ts')).measureThinking({ tasks: 8, secs: 3, thinkMs: 1000 }),
  },
  loops: {
    full: async ({ history, live, agents, requests }) =>
      (await import('./store/loops.ts')).measureLoops({ stored: history, live, agents, secs: 60, times: requests / 5 }),
    small: async () =>
      (await import('./store/loops.ts')).measureLoops({
        stored: 1000,
        live: 50,
        agents: 2,
        secs: 4,
        times: 10,
        settleMs: 5000,
      }),
  },
  retention: {
    full: async ({ events, pictures }) => (await import('./tasks/retention.ts')).measureRetention({ events, pictures }),
    small: async () =>
      (await import('./tasks/retention.ts')).measureRetention({
        events: 5000,
        pictures: 300,
        quietMs: 500,
        sessionsPerDay: 3,
      }),
  },
  guard: {
    full: async ({ count }) => (await import('./browser/guard.ts')).measureGuard(count),
    small: async () => (await import('./browser/guard.ts')).measureGuard(5),
  },
  fanout: {
    full: async ({ streams, clients, rounds }) =>
      (await import('./streams/fanout.ts')).measureFanout({ streams, clientsEach: clients, rounds }),
    small: async () => {
      const { measureFanout } = await import('./streams/fanout.ts');
      return measureFanout({ streams: 2, clientsEach: 4, rounds: 1, roundMs: 2000, settleMs: 250, restMs: 1000 });
    },
  },
  viewers: {
    full: async ({ clients, rounds }) =>
      (await import('./streams/viewers.ts')).measureViewers({ viewers: clients, rounds }),
    small: async () => (await import('./streams/viewers.ts')).measureViewers({ viewers: 4, rounds: 1, roundMs: 1500 }),
  },
  join: {
    full: async ({ count }) => (await import('./streams/join.ts')).measureJoin(count),
    small: async () => (await import('./streams/join.ts')).measureJoin(2),
  },
  crowd: {
    full: async ({ viewers, rounds }) => (await import('./streams/crowd.ts')).measureCrowd({ viewers, rounds }),
    small: async () =>
      (await import('./streams/crowd.ts')).measureCrowd({ viewers: 3, rounds: 1, roundMs: 2000, restMs: 1000 }),
  },
  reading: {
    full: async ({ tasks, stored, requests }) =>
      (await import('./server/reading.ts')).measureReadingAlone({
        tasks: { few: 1000, many: tasks },
        sessions: { few: 100, many: stored },
        requests,
      }),
    small: async () =>
      (await import('./server/reading.ts')).measureReadingAlone({
        tasks: { few: 100, many: 10_000 },
        sessions: { few: 100, many: 10_000 },
        requests: 100,
      }),
  },
  console: {
    full: async ({ presses, minutes, count }) =>
      (await import('./console/console.ts')).measureConsole({ presses, secs: 60, minutes, views: count / 4 }),
    small: async () =>
      (await import('./console/console.ts')).measureConsole({
        presses: 10,
        secs: 2,
        minutes: 0.05,
        views: 1,
        settleMs: 1000,
      }),
  },
  timeline: {
    full: async ({ steps }) => (await import('./console/timeline.ts')).measureTimeline(steps),
    small: async () => (await import('./console/timeline.ts')).measureTimeline(80),
  },
});
export type BenchName = keyof typeof benches;
export type FiguresOf<N extends BenchName> = Awaited<ReturnType<(typeof benches)[N]['small']>>;
export const benchNames = Object.keys(benches) as BenchName[];

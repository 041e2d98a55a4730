import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../../testkit/stack/folders.ts';
import { alertNames, dashboardQueries, observeDir, promtool, withoutPrometheus } from './promtool.ts';

type Series = Record<string, string>;
/** What makes the alert fire, and what must not; values as promtool writes them, one a minute. */
type Case = { fires: Series; quiet: Series };

const oneMore = '0x30 1x60';
const calm = '0x90';
const waits = (cause: string, secs: number) => ({
  [`pilothouse_tasks_waiting_oldest_seconds{cause="${cause}"}`]: `${secs}x90`,
});
const shareOf = (metric: string, [good, bad]: [string, string], rate: number) => ({
  [`${metric}{${good}}`]: '0+100x90',
  [`${metric}{${bad}}`]: `0+${rate}x90`,
});
const lag = (late: string) => ({
  'pilothouse_event_lag_seconds_bucket{le="1"}': late === 'late' ? '0x90' : '0+10x90',
  'pilothouse_event_lag_seconds_bucket{le="10"}': '0+10x90',
  'pilothouse_event_lag_seconds_bucket{le="+Inf"}': '0+10x90',
});
const counted = (series: string): Case => ({ fires: { [series]: oneMore }, quiet: { [series]: calm } });
const slots = (free: number, waiting: number) => ({
  'pilothouse_browser_slots{state="free",instance="a"}': `${free}x90`,
  'pilothouse_browser_slots{state="taken",instance="a"}': '4x90',
  'pilothouse_browser_waits{by="task",instance="a"}': `${waiting}x90`,
  'pilothouse_browser_waits{by="person",instance="a"}': '0x90',
});
const disk = (free: number) => ({
  'pilothouse_blob_disk_bytes{kind="free",instance="a"}': `${free}x90`,
  'pilothouse_blob_disk_bytes{kind="size",instance="a"}': '100x90',
});
const steps = 'pilothouse_step_seconds_count';

const cases: Record<string, Case> = {
  PilothouseProcessDown: {
    fires: { 'up{job="pilothouse-agent"}': '0x90' },
    quiet: { 'up{job="pilothouse-agent"}': '1x90', 'up{job="other"}': '0x90' },
  },
  PilothouseServiceUnreachable: {
    fires: { 'pilothouse_reaches{to="bus"}': '0x90' },
    quiet: { 'pilothouse_reaches{to="bus"}': '1x90' },
  },
  PilothouseFiguresUnknown: {
    fires: { 'pilothouse_figures_known{of="fleet"}': '0x90' },
    quiet: { 'pilothouse_figures_known{of="fleet"}': '1x90' },
  },
  // One server that is behind does not make an alert.
  PilothouseNoAgent: {
    fires: { 'pilothouse_agents{state="live"}': '0x90', 'pilothouse_agents{state="missing"}': '1x90' },
    quiet: {
      'pilothouse_agents{state="live",instance="a"}': '0x90',
      'pilothouse_agents{state="live",instance="b"}': '1x90',
    },
  },
  PilothouseNoBrowserHost: {
    fires: { 'pilothouse_hosts{state="live"}': '0x90', 'pilothouse_hosts{state="gone"}': '2x90' },
    quiet: { 'pilothouse_hosts{state="live"}': '1x90' },
  },
  PilothouseHostLeaseLost: counted('pilothouse_host_leases_lost_total'),
  PilothouseAgentLeaseLost: counted('pilothouse_agent_leases_lost_total{what="work"}'),
  PilothouseTasksRecovered: counted('pilothouse_tasks_recovered_total'),
  PilothouseStuckTasks: counted('pilothouse_stuck_tasks_caught_total{how="recovered"}'),
  PilothouseLaunchesFail: {
    fires: { 'pilothouse_host_launches_total{outcome="failed"}': '0+1x90' },
    quiet: { 'pilothouse_host_launches_total{outcome="failed"}': oneMore },
  },
  // What lists of domains refuse is the choice of an operator, and may be a lot.
  PilothouseGuardStorm: {
    fires: { 'pilothouse_host_refused_requests_total{reason="private_address",instance="a"}': '0+50x90' },
    quiet: {
      'pilothouse_host_refused_requests_total{reason="loopback_address",instance="a"}': '0+10x90',
      'pilothouse_host_refused_requests_total{reason="loopback_address",instance="b"}': '0+15x90',
      'pilothouse_host_refused_requests_total{reason="not_allowed_domain",instance="a"}': '0+1000x90',
    },
  },
  PilothouseEventLoopLag: {
    fires: { 'nodejs_eventloop_lag_p99_seconds{job="pilothouse-server"}': '2x90' },
    quiet: { 'nodejs_eventloop_lag_p99_seconds{job="pilothouse-server"}': '0.2x90' },
  },
  PilothouseNoCapacity: { fires: slots(0, 3), quiet: slots(0, 0) },
  PilothouseBrowserWaitLong: { fires: waits('browser', 700), quiet: waits('browser', 500) },
  PilothouseTasksNotTaken: { fires: waits('agent', 90), quiet: waits('agent', 20) },
  PilothouseModelWaitLong: { fires: waits('model', 400), quiet: waits('question', 90_000) },
  PilothouseModelCallsFail: {
    fires: shareOf('pilothouse_model_calls_total', ['model="m",outcome="ok"', 'model="m",outcome="rate_limited"'], 60),
    quiet: shareOf('pilothouse_model_calls_total', ['model="m",outcome="ok"', 'model="m",outcome="rate_limited"'], 5),
  },
  PilothouseModelCost: {
    fires: { 'pilothouse_model_cost_micros_total{model="m"}': '0+2000000x90' },
    quiet: { 'pilothouse_model_cost_micros_total{model="m"}': '0+100000x90' },
  },
  PilothouseStepsInterrupted: {
    fires: shareOf(steps, ['outcome="success"', 'outcome="interrupted"'], 60),
    quiet: shareOf(steps, ['outcome="success"', 'outcome="failed"'], 60),
  },
  PilothouseServerErrors: {
    fires: { 'pilothouse_refusals_total{code="internal"}': oneMore },
    quiet: { 'pilothouse_refusals_total{code="not_found"}': '0+100x90' },
  },
  PilothouseOverloaded: {
    fires: { 'pilothouse_refusals_total{code="overloaded"}': '0+60x90' },
    quiet: { 'pilothouse_refusals_total{code="overloaded"}': oneMore },
  },
  PilothouseEventsLate: {
    fires: { pilothouse_events_late_total: '0+120x90' },
    quiet: { pilothouse_events_late_total: '0+6x90' },
  },
  PilothouseEventLag: { fires: lag('late'), quiet: lag('in time') },
  PilothouseRetentionBehind: {
    fires: { 'pilothouse_retention_overdue_seconds{what="pictures"}': '4000x90' },
    quiet: { 'pilothouse_retention_overdue_seconds{what="pictures"}': '4000x10 0x80' },
  },
  // The clock of these tests begins at 0.
  PilothouseHousekeepingOld: {
    fires: { 'pilothouse_housekeeping_last_success_timestamp_seconds{part="logins"}': '-200000x90' },
    quiet: { 'pilothouse_housekeeping_last_success_timestamp_seconds{part="logins"}': '0+60x90' },
  },
  PilothouseBlobDiskFilling: { fires: disk(5), quiet: disk(40) },
};

/** At this minute what has happened at minute 30 is still in the shortest range. */
const atMinute = '40m';

const ruleTest = (name: string, series: Series, isFiring: boolean) => ({
  name: `${name} ${isFiring ? 'fires' : 'is quiet'}`,
  interval: '1m',
  input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${name}", alertstate="firing"})`,
      eval_time: atMinute,
      exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
    },
  ],
});

describe('alerts and dashboard', { skip: withoutPrometheus }, () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-alerts-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));
  /** Its formats are YAML, which JSON is too. */
  async function written(name: string, content: object): Promise<string> {
    const path = join(dir, name);
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  it('are what Prometheus can read', async () => {
    await promtool('check', 'rules', join(observeDir, 'alerts.yml'));
    await promtool('check', 'config', join(observeDir, 'prometheus.yml'));
  });

  it('every alert has a cause that makes it fire, and one beside it that does not', async () => {
    assert.deepEqual(Object.keys(cases).sort(), alertNames().sort());
    const tests = Object.entries(cases).flatMap(([name, { fires, quiet }]) => [
      ruleTest(name, fires, true),
      ruleTest(name, quiet, false),
    ]);
    const rules = { rule_files: [join(observeDir, 'alerts.yml')], evaluation_interval: '1m', tests };
    await promtool('test', 'rules', await written('rules.json', rules));
    // That it would notice: nothing fires without its cause.
    const [first = ''] = alertNames();
    const wrong = { ...rules, tests: [ruleTest(first, {}, true)] };
    await assert.rejects(promtool('test', 'rules', await written('wrong.json', wrong)), /FAILED/);
  });

  it('every query of the dashboard can be read', async () => {
    const rules = dashboardQueries().map(({ expr }, index) => ({ record: `query:${index}`, expr }));
    assert.ok(rules.length > 40, `${rules.length} queries`);
    const fileOf = async (name: string, all: object[]) =>
      written(name, { groups: [{ name: 'dashboard', rules: all }] });
    await promtool('check', 'rules', await fileOf('dashboard.json', rules));
    const broken = [...rules, { record: 'query:broken', expr: 'sum(rate(x[5m])' }];
    await assert.rejects(promtool('check', 'rules', await fileOf('broken.json', broken)));
  });

  it('every alert has a section in the runbook, and the runbook has no other', async () => {
    const runbook = await readFile(join(root, 'docs/operate/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections.sort(), alertNames().sort());
    const rules = await readFile(join(observeDir, 'alerts.yml'), 'utf8');
    for (const name of alertNames())
      assert.ok(rules.includes(`docs/operate/runbook.md#${name.toLowerCase()}\n`), `${name} names its section`);
  });
});

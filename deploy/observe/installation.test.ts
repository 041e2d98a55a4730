import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { freePort } from '../../testkit/stack/ports.ts';
import { createStackOfProcess } from '../../testkit/stack/stack-of-process.ts';
import { until } from '../../testkit/until.ts';
import { type PrometheusForTest, startPrometheus } from './prometheus.ts';
import { alertRules, dashboardQueries, metricsIn, withoutPrometheus } from './promtool.ts';

const soonMs = 30_000;
/** A page that looks for what is in the network of its host. */
const curious = `<!doctype html><h1>Harbour news</h1>${Array.from({ length: 150 }, (_, n) => `<img src="http://10.0.0.7/${n}.png">`).join('')}`;

describe('an installation with room for one browser', { skip: withoutPrometheus }, () => {
  const stack = createStackOfProcess(`observe-${process.pid}`);
  let prometheus: PrometheusForTest;
  let client: ReturnType<typeof createClient>;
  let database: pg.Client;
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(curious));
  let siteUrl: string;
  before(async () => {
    await once(site.listen(0, '127.0.0.1'), 'listening');
    // Listening on TCP, so the address is of this kind.
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const port = await freePort();
    const settings = { browser: { HOST_CAPACITY: '1', HOST_WARM: '0' } };
    await stack.up({ port, servers: 1, agents: 2, browsers: 1, disableAuth: true, settings, sites: [siteUrl] });
    client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    database = connection();
    await database.connect();
    prometheus = await startPrometheus(
      ['server', 'agent', 'browser'].map((kind) => ({ job_name: `pilothouse-${kind}`, ports: opsPortsOf(kind) })),
    );
  });
  after(async () => {
    await prometheus?.close();
    await database?.end();
    await stack.down({ wipe: true });
    site.close();
  });

  const connection = () =>
    new pg.Client({ connectionString: stack.services.adminDatabaseUrl(), statement_timeout: soonMs });
  function opsPortsOf(kind: string): number[] {
    const { processes } = stack.status();
    return Object.entries(processes).flatMap(([name, { ops_port }]) =>
      name.startsWith(`${kind}-`) && ops_port ? ops_port : [],
    );
  }
  const metricsAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const fires = (name: string) => until(async () => (await prometheus.firing()).includes(name), soonMs);

  it('has every metric that alerts and dashboard name', async () => {
    const texts = await Promise.all(['server', 'agent', 'browser'].flatMap(opsPortsOf).map(metricsAt));
    const given = new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)));
    const named = metricsIn([alertRules, ...dashboardQueries().map(({ expr }) => expr)].join('\n'));
    assert.ok(named.length > 40, `${named.length} metrics`);
    assert.deepEqual(
      named.filter((name) => !given.has(name)),
      [],
    );
  });

  it('has no alert while all is well', async () => {
    await until(async () => (await prometheus.value('count(up == 1)')) === 4, soonMs);
    await until(async () => (await prometheus.value('max(pilothouse_browser_slots{state="free"})')) === 1, soonMs);
    await until(async () => (await prometheus.value('max(pilothouse_agents{state="live"})')) === 2, soonMs);
    // A machine that stands still for a second makes one fire for as long.
    await until(async () => (await prometheus.firing()).length === 0, soonMs);
  });

  /** A picture that no agent can remove, because another transaction has its session. */
  async function addStuckPicture(): Promise<void> {
    const session = randomUUID();
    await database.query(
      `insert into sessions (id, owner_id, viewport_width, viewport_height)
       select $1, id, 1280, 720 from users limit 1`,
      [session],
    );
    await database.query('begin');
    await database.query('select from sessions where id = $1 for no key update', [session]);
    const writer = connection();
    await writer.connect();
    await writer.query(
      `insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route,
         byte_len)
       select $1, 1, gen_random_uuid(), owner_id, now() - interval '40 days', 'image/jpeg', 8, 6, '{}', 1
       from sessions where id = $1`,
      [session],
    );
    await writer.end();
  }

  it('says that a page asks again and again for what it may not reach', async () => {
    const prompt = `open ${siteUrl}\nwait 1 s`;
    const { session_id: id, task_id } = await client.sendChat({ prompt });
    await fires('PilothouseGuardStorm');
    await until(async () => (await client.getTaskStatus({ id: task_id })).status.status === 'success', soonMs);
    await client.deleteSession({ id });
    await until(async () => (await prometheus.value('max(pilothouse_browser_slots{state="free"})')) === 1, soonMs);
  });

  it('says that it is full when a second task wants a browser, and that what should be gone is not', async () => {
    await addStuckPicture();
    const never = { action: 'wait', for: { text: 'never' }, timeout_secs: 300 } as const;
    for (let n = 0; n < 2; n += 1) await client.sendChat({ prompt: 'wait', steps: [never] });
    await Promise.all([fires('PilothouseNoCapacity'), fires('PilothouseRetentionBehind')]);
    assert.equal(await prometheus.value('max(pilothouse_tasks_waiting{cause="browser"})'), 1);
    await database.query('rollback');
  });

  it('says that an agent died at work, and that others have its tasks', async () => {
    const atWork = async (name: string) => {
      const port = stack.status().processes[name]?.ops_port ?? 0;
      return !(await metricsAt(port)).includes('pilothouse_agent_runs{kind="at_work"} 0');
    };
    await stack.kill((await atWork('agent-1')) ? 'agent-1' : 'agent-2');
    await fires('PilothouseProcessDown');
    await fires('PilothouseTasksRecovered');
    assert.ok(!(await prometheus.firing()).includes('PilothouseNoAgent'), 'another one lives');
  });

  it('names nobody and nothing of its users in a label', async () => {
    const running = Object.values(stack.status().processes).filter(({ running: isRunning }) => isRunning);
    const texts = await Promise.all(running.map(({ ops_port }) => metricsAt(ops_port ?? 0)));
    const values = texts.flatMap((text) => [...text.matchAll(/(\w+)="([^"]*)"/g)]);
    const names = values.filter(([, label]) => label !== 'agent_id').map(([, , value = '']) => value);
    assert.ok(names.length > 100, `${names.length} labels`);
    assert.deepEqual(
      names.filter((value) => /[0-9a-f]{8}-[0-9a-f]{4}-|:\/\/|@|local user/.test(value)),
      [],
    );
  });
});

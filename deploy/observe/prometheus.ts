// A real Prometheus on loopback with our rules, for tests: it looks every second, and no alert waits before it fires.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../testkit/stack/ports.ts';
import { until } from '../../testkit/until.ts';
import { alertRules, prometheusPath } from './promtool.ts';

type Job = { job_name: string; ports: number[] };
type Alerts = { data: { alerts: { labels: { alertname: string }; state: string }[] } };

const startMs = 20_000;

export async function startPrometheus(jobs: Job[]) {
  const [dir, port] = [await mkdtemp(join(tmpdir(), 'pilothouse-prometheus-')), await freePort()];
  const scrape_configs = jobs.map(({ job_name, ports }) => ({
    job_name,
    static_configs: [{ targets: ports.map((one) => `127.0.0.1:${one}`) }],
  }));
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
  const config = { global, rule_files: ['alerts.yml'], scrape_configs };
  // Its configuration is YAML, which JSON is too.
  await writeFile(join(dir, 'prometheus.yml'), JSON.stringify(config));
  await writeFile(join(dir, 'alerts.yml'), alertRules.replaceAll(/^ +for: .*\n/gm, ''));
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(
    prometheusPath,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const get = (path: string) => fetch(`${baseUrl}${path}`, { signal: AbortSignal.timeout(5000) });
  async function close(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
    await rm(dir, { recursive: true, force: true });
  }
  const isReady = () =>
    get('/-/ready').then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, startMs).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    /** Names of the alerts that fire now. */
    async firing(): Promise<string[]> {
      const { data } = (await (await get('/api/v1/alerts')).json()) as Alerts; // Prometheus wrote it
      const names = data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      return [...new Set(names)].sort();
    },
    /** The value of a query that gives one; undefined if it gives none. */
    async value(query: string): Promise<number | undefined> {
      const answer = await get(`/api/v1/query?query=${encodeURIComponent(query)}`);
      const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
      const [first] = data.result;
      return first && Number(first.value[1]);
    },
    close,
  };
}
export type PrometheusForTest = Awaited<ReturnType<typeof startPrometheus>>;

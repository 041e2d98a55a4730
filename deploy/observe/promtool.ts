// Prometheus and its tool, where scripts/promtool has put them; and what this folder asks of metrics.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../testkit/stack/folders.ts';

const folder = join(root, '.tools/prometheus');
export const prometheusPath = join(folder, 'prometheus');
/** For tests: why they are skipped, or false. */
export const withoutPrometheus = existsSync(prometheusPath) ? false : 'there is no Prometheus: run scripts/promtool';

export const observeDir = import.meta.dirname;
const readText = (name: string) => readFileSync(join(observeDir, name), 'utf8');
export const alertRules = readText('alerts.yml');

/** Fails with what promtool says. */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(folder, 'promtool'), args, { timeout: 60_000 }).catch((error) => {
    throw new Error(`promtool ${args.join(' ')}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

type Panel = { title: string; targets?: { expr: string }[] };

/** With a time where Grafana puts one in. */
export function dashboardQueries(): { title: string; expr: string }[] {
  const { panels } = JSON.parse(readText('dashboard.json')) as { panels: Panel[] }; // our own file
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
  );
}

export const alertNames = (): string[] => [...alertRules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** Names of metrics in text of rules or queries, without the endings of histograms. */
export const metricsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\b(pilothouse|http|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_(bucket|count)$/, '')),
  ),
];

// An agent that measures how late its own loop comes, and writes it into AGENT_LAG_FILE at each SIGUSR2, to begin again then.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds. The histogram counts it in every sample. */
const resolution = 5;
const lag = monitorEventLoopDelay({ resolution });
lag.enable();
process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number) => Math.max(0, Math.round(10 * (nanoseconds / 1e6 - resolution)) / 10);
  const figures = { p50: ms(lag.percentile(50)), p99: ms(lag.percentile(99)), max: ms(lag.max) };
  writeFileSync(process.env.AGENT_LAG_FILE ?? '', JSON.stringify(figures));
  lag.reset();
});

await import('../../apps/agent/src/main.ts');

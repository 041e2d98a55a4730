// npm run eval -- [--mind teacher|noisy] [--wire chat|responses|anthropic|google] [--kind words] [--count n] [--seed n] …: tasks in words,
// done by a whole installation with a scripted model, judged by the databases of the sites. Prints one JSON line.
import { parseArgs } from 'node:util';
import { brokenBounds } from '../testkit/evals/bounds.ts';
import { type MindName, runEvals } from '../testkit/evals/run.ts';
import { modelNames, openSetting } from '../testkit/evals/setting.ts';
import type { WireName } from '../testkit/models/mind.ts';

const { values } = parseArgs({
  options: {
    mind: { type: 'string', default: 'teacher' },
    wire: { type: 'string', default: 'chat' },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
    kind: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '0.3' },
    'at-once': { type: 'string', default: '4' },
  },
});
const isMind = (name: string): name is MindName => name === 'teacher' || name === 'noisy';
const isWire = (name: string): name is WireName => Object.hasOwn(modelNames, name);
const { mind, wire } = values;
if (!isMind(mind) || !isWire(wire)) {
  console.error(
    `usage: npm run eval -- [--mind teacher|noisy] [--wire ${Object.keys(modelNames).join('|')}] [--count n] [--from n] [--kind words] [--seed n] [--rate 0.3] [--at-once n]`,
  );
  process.exit(2);
}

const setting = await openSetting('eval');
try {
  const figures = await runEvals({
    setting,
    mind,
    wire,
    rate: Number(values.rate),
    ...(values.count !== undefined && { count: Number(values.count) }),
    from: Number(values.from),
    kind: values.kind,
    seed: Number(values.seed),
    atOnce: Number(values['at-once']),
  });
  const broken = brokenBounds(figures);
  console.log(JSON.stringify({ good: broken.length === 0, broken, ...figures }));
  if (broken.length > 0) process.exitCode = 1;
} finally {
  await setting.close();
}
process.exit();

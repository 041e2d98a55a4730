// Provisional: reads the few instructions of the page until the server's own script language does.
import { Step } from '@pilothouse/contract';

export type Script = { steps: Step[]; problems: { line: number; message: string }[] };

const quoted = String.raw`["“]((?:[^"“”\\]|\\.)*)["”]`;

const instructions: [pattern: RegExp, toStep: (...words: string[]) => unknown][] = [
  [/^open\s+(\S+)$/i, (address) => ({ action: 'navigate', url: withScheme(plain(address)) })],
  [words(`click\\s+${quoted}`), (target) => ({ action: 'click', target })],
  [words(`type\\s+${quoted}\\s+into\\s+${quoted}`), (text, target) => ({ action: 'type', target, text })],
  [/^press\s+(\S+)$/i, (key) => ({ action: 'press', key: plain(key) })],
  [words(`wait\\s+for\\s+${quoted}`), (text) => ({ action: 'wait', for: { text } })],
  [/^screenshot$/i, () => ({ action: 'screenshot' })],
];

/** One instruction a line; empty lines and those that begin with `#` are passed over. */
export function parseScript(text: string): Script {
  const script: Script = { steps: [], problems: [] };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const step = readLine(line);
    if (typeof step === 'string') script.problems.push({ line: index + 1, message: step });
    else script.steps.push(step);
  }
  return script;
}

/** The step as a person would say it. What is typed is left out: it may be a password. */
export function describeStep(step: Step): string {
  const target = 'target' in step && typeof step.target === 'string' ? ` "${step.target}"` : '';
  switch (step.action) {
    case 'navigate':
      return `open ${step.url}`;
    case 'type':
      return `type into${target}`;
    case 'press':
      return `press ${step.key}`;
    case 'wait':
      return 'text' in step.for ? `wait for "${step.for.text}"` : 'wait';
    default:
      return `${step.action}${target}`;
  }
}

function readLine(line: string): Step | string {
  for (const [pattern, toStep] of instructions) {
    const match = pattern.exec(line);
    if (!match) continue;
    const step = Step.safeParse(toStep(...match.slice(1).map((word) => word.replace(/\\(.)/g, '$1'))));
    return step.success
      ? step.data
      : `“${line}”: ${step.error.issues[0]?.path.join('.')} ${step.error.issues[0]?.message}`;
  }
  return `“${line}” is no instruction this page knows.`;
}

function words(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'i');
}

function plain(word = ''): string {
  return word.replace(/^["“](.*)["”]$/, '$1');
}

function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}

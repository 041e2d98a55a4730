// What a person may choose for a task beside its words: limits, sites, profile, recording, model.

import { taskLimits } from '@pilothouse/contract/wire';

/** As they are written; empty is what the server takes by itself. */
export type TaskOptions = {
  minutes: string;
  steps: string;
  sites: string;
  profileId: string;
  isRecorded: boolean;
  model: string;
  tokens: string;
  dollars: string;
  isPlanFirst: boolean;
};

export const noOptions: TaskOptions = {
  ...{ minutes: '', steps: '', sites: '', profileId: '', isRecorded: false },
  ...{ model: '', tokens: '', dollars: '', isPlanFirst: false },
};

type ChatFields = {
  time_limit_secs?: number;
  max_steps?: number;
  allowed_domains?: string[];
  profile_id?: string;
  record?: true;
  model?: string;
  max_tokens?: number;
  max_cost?: number;
  confirm?: 'plan';
};

export type OptionErrors = Partial<Record<'minutes' | 'steps' | 'sites' | 'tokens' | 'dollars', string>>;

const mostMinutes = taskLimits.secs.most / 60;

/** The fields of the chat, or what is wrong with the options. A script has no use for those of a model. */
export function readOptions(options: TaskOptions, isForModel: boolean): { fields: ChatFields; errors: OptionErrors } {
  const minutes = readNumber(options.minutes);
  const steps = readNumber(options.steps);
  const sites = readSites(options.sites);
  const [tokens, dollars] = isForModel ? [readNumber(options.tokens), readNumber(options.dollars)] : [];
  const errors: OptionErrors = {};
  if (minutes !== undefined && !(minutes * 60 >= taskLimits.secs.least && minutes <= mostMinutes))
    errors.minutes = `From ${describeSecs(taskLimits.secs.least)} to ${mostMinutes} minutes.`;
  const { tokens: forTokens, dollars: forDollars } = taskLimits;
  if (!isCountIn(steps, taskLimits.steps)) errors.steps = describeRange(taskLimits.steps);
  if (!isCountIn(tokens, forTokens)) errors.tokens = describeRange(forTokens);
  if (dollars !== undefined && !(dollars > 0 && dollars <= forDollars.most))
    errors.dollars = `More than 0, and at most ${forDollars.most}.`;
  const wrong = sites.find((site) => !isSite(site));
  if (wrong !== undefined) errors.sites = `“${wrong.slice(0, 60)}” is not the name of a host.`;
  else if (sites.length > taskLimits.sites.most) errors.sites = `At most ${taskLimits.sites.most} sites.`;
  return {
    errors,
    fields: {
      ...(minutes === undefined ? {} : { time_limit_secs: Math.round(minutes * 60) }),
      ...(steps === undefined ? {} : { max_steps: steps }),
      ...(sites.length === 0 ? {} : { allowed_domains: sites }),
      ...(options.profileId === '' ? {} : { profile_id: options.profileId }),
      ...(options.isRecorded ? { record: true as const } : {}),
      ...(options.model === '' || !isForModel ? {} : { model: options.model }),
      ...(tokens === undefined ? {} : { max_tokens: tokens }),
      ...(dollars === undefined ? {} : { max_cost: dollars }),
      ...(options.isPlanFirst && isForModel ? { confirm: 'plan' as const } : {}),
    },
  };
}

/** Only a model can say what it intends: a plan is asked of nothing else. */
export const plannerOf = ({ confirm }: ChatFields, isScript: boolean): 'auto' | 'llm' | 'script' =>
  isScript ? 'script' : confirm ? 'llm' : 'auto';

export const hasErrors = (errors: OptionErrors): boolean => Object.keys(errors).length > 0;

type Range = { least: number; most: number };
const isCountIn = (count: number | undefined, { least, most }: Range): boolean =>
  count === undefined || (Number.isInteger(count) && count >= least && count <= most);
const describeRange = ({ least, most }: Range): string => `A whole number from ${least} to ${most}.`;

const readNumber = (written: string): number | undefined =>
  written.trim() === '' ? undefined : Number(written.trim().replace(',', '.'));

const describeSecs = (secs: number) => `${secs} seconds (${(secs / 60).toFixed(2)})`;

/** Hosts, one a line or with commas; an address is read as its host. */
export function readSites(written: string): string[] {
  const names = written
    .split(/[\s,;]+/)
    .filter((name) => name !== '')
    .map((name) => (/^https?:\/\//i.test(name) ? (URL.parse(name)?.hostname ?? name) : name));
  return [...new Set(names)];
}

const isSite = (name: string): boolean =>
  /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(name) && URL.canParse(`http://${name.replace(/^\*\./, '')}/`);

/** What was chosen of the limits, in few words; empty if nothing was. */
export function describeLimits(options: TaskOptions, isForModel: boolean): string {
  const [minutes, steps, tokens, dollars] = [options.minutes, options.steps, options.tokens, options.dollars].map(
    (written) => written.trim(),
  );
  return [
    minutes && `${minutes} min`,
    steps && `${steps} steps`,
    isForModel && tokens && `${tokens} tokens`,
    isForModel && dollars && `$${dollars}`,
    options.isRecorded && 'recorded',
    isForModel && options.isPlanFirst && 'plan first',
  ]
    .filter(Boolean)
    .join(' · ');
}

export function describeSites(written: string): string {
  const [first, ...others] = readSites(written);
  if (first === undefined) return 'Any site';
  return others.length === 0 ? `Only ${first}` : `Only ${others.length + 1} sites`;
}

export const usualLimits = { minutes: String(taskLimits.secs.usual / 60), steps: String(taskLimits.steps.usual) };

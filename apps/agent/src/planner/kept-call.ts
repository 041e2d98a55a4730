// What a model was asked and answered, as one gzip blob of the session, so that a prompt can be changed and tried again offline. Holds
// neither words of people nor text that the task types: the rows have those until a purge.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { View } from '@pilothouse/bus';
import { planItemsOf, planText, type Store, strikeTyped, type TaskRow, typedTextsOf } from '@pilothouse/store';
import { z } from 'zod';
import { jsonSchemaOf } from '../model/tools.ts';
import type { ModelAnswer, ModelRequest } from '../model/types.ts';
import type { StoredCall } from './actions.ts';

/** What the rows do not have of a request. */
const Inputs = z.object({
  /** As the host sent it, without handles. */
  view: z.custom<View>((value) => typeof value === 'object' && value !== null),
  notes: z.array(z.string()),
  isLast: z.boolean(),
  files: z.array(z.string()),
  secrets: z.array(z.object({ name: z.string(), origins: z.array(z.string()), has_totp: z.boolean() })).default([]),
  pictureKey: z.string().nullable(),
});
export type CallInputs = z.output<typeof Inputs>;
/** A request as it is compared: system, tools and messages, each a text. */
const Parts = z.object({ system: z.string(), tools: z.string(), messages: z.array(z.string()) });
export type RequestParts = z.output<typeof Parts>;
const KeptCall = z.object({
  version: z.literal(1),
  model: z.string(),
  request: Parts,
  inputs: Inputs,
  answer: z.object({ text: z.string(), calls: z.array(z.object({ name: z.string(), input: z.json() })) }),
});
export type KeptCall = z.output<typeof KeptCall>;

type Asked = { request: ModelRequest; inputs: CallInputs; answer: Pick<ModelAnswer, 'text'>; calls: StoredCall[] };

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export const callKeyOf = ({ id, session_id }: Pick<TaskRow, 'id' | 'session_id'>, number: number): string =>
  `sessions/${session_id}/calls/${id}/${number}.json.gz`;

/** `typed`: what the task has typed so far, and what this answer types. */
export async function keepCall(
  { blobs }: Store,
  { task, number, typed }: { task: TaskRow; number: number; typed: string[] },
  { request, inputs, answer, calls }: Asked,
): Promise<void> {
  const strike = <T>(value: T): T => inTexts(value, (text) => strikeTyped(text, typed)) as T;
  const kept: KeptCall = {
    version: 1,
    model: request.model,
    request: partsOf(request, task, inputs.pictureKey, typed),
    inputs: strike({ ...inputs, view: { ...inputs.view, handles: [] } }),
    answer: strike({ text: answer.text, calls: calls.map(({ name, input }) => ({ name, input })) }),
  };
  await blobs.put(callKeyOf(task, number), await zip(JSON.stringify(kept)));
}

/** Undefined where none was kept, or it was removed. */
export async function readCall({ blobs }: Store, task: TaskRow, number: number): Promise<KeptCall | undefined> {
  const bytes = await blobs.get(callKeyOf(task, number));
  return bytes && KeptCall.parse(JSON.parse((await unzip(bytes)).toString()));
}

/** The request in parts that are the same whenever the same is asked: without random fences and without words of people. */
export function partsOf(
  { system, tools, messages }: ModelRequest,
  task: TaskRow,
  pictureKey: string | null,
  typed: string[],
): RequestParts {
  const { prompt, settings } = task;
  const { constraints = [] } = settings as { constraints?: string[] };
  const plan = planItemsOf(task);
  const said: [words: string, place: string][] = [
    [`The task: ${prompt}`, 'The task: {prompt}'],
    ...constraints.map((one, i): [string, string] => [`It must hold: ${one}`, `It must hold: {constraint ${i + 1}}`]),
    // A person may have written it.
    ...(plan ? [[planText(plan), '{plan}'] as [string, string]] : []),
  ];
  const plain = (text: string) =>
    said
      .reduce((left, [words, place]) => left.replaceAll(words, () => place), text)
      .replace(peopleSay, 'A person $1: {words}')
      .replaceAll(typedInput, '"text":"{typed}')
      .replaceAll(fence, 'page-fence');
  const schemas = tools.map(({ name, description, schema }) => [name, description, jsonSchemaOf(schema)]);
  return {
    system: system.text,
    tools: `${tools.map(({ name }) => name).join(' ')} ${createHash('sha256').update(JSON.stringify(schemas)).digest('hex')}`,
    messages: messages.map((message) => {
      const { cache: _, ...told } = message;
      const pictured = 'pictures' in told && told.pictures ? { ...told, pictures: [pictureKey] } : told;
      return JSON.stringify(inTexts(pictured, (text) => strikeTyped(plain(text), typed)));
    }),
  };
}
/** Up to the end: words of people may have many lines. */
const peopleSay = /A person (says|answered): [\s\S]*$/;
/** The history cuts long inputs, so that what is left of a typed text is not known as one. */
const typedInput = /"text":"(?:[^"\\]|\\.)*/g;
const fence = /page-[0-9a-f]{12}/g;

function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inTexts(item, change)]));
}

/** Tools whose `text` is no text that is typed. */
const untyped = new Set(['wait', 'remember', 'plan']);

/** What these calls type, or were to type. */
export function typedBy(calls: readonly Pick<StoredCall, 'name' | 'input'>[]): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      if (name === 'text' && typeof item === 'string') texts.push(item);
      else collect(item);
    }
  };
  for (const { name, input } of calls) if (!untyped.has(name)) collect(input);
  return typedTextsOf(texts.map((text) => ({ action: 'type', target: 'x', text })));
}

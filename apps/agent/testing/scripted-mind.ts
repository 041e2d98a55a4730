// A model that says what a test wrote down, one answer for each call, and keeps what it was asked.

import type { View, ViewHandle } from '@pilothouse/bus';
import { ModelFailure } from '../src/model/failure.ts';
import { createModels } from '../src/model/models.ts';
import type { ModelAnswer, ModelRequest } from '../src/model/types.ts';
import type { Mind } from '../src/planner/mind.ts';

type Asked = { request: ModelRequest; signal: AbortSignal };
export type Said = ModelAnswer | ModelFailure | ((asked: Asked) => Promise<ModelAnswer>);

const models = [
  { name: 'test/one', provider: 'test', model: 'one' },
  { name: 'test/two', provider: 'test', model: 'two' },
];

export function scriptMind(said: Said[], { names = models }: { names?: typeof models } = {}) {
  const requests: ModelRequest[] = [];
  const left = [...said];
  const mind: Mind = {
    models: createModels(
      names.map((one) => ({ ...one, wire: 'compatible', baseUrl: '', apiKey: '', price: undefined })),
    ),
    estimate: () => 100,
    async ask(request, { signal }) {
      requests.push(request);
      const next = left.shift();
      if (!next) throw new Error('nothing was said of what the model answers');
      if (next instanceof ModelFailure) throw next;
      return typeof next === 'function' ? next({ request, signal }) : next;
    },
  };
  return { mind, requests, left: () => left.length };
}

let calls = 0;
/** An answer with these tool calls. */
export const says = (...given: [name: string, input: object, invalid?: string][]): ModelAnswer => ({
  toolCalls: given.map(([name, input, invalid]) => ({
    id: `call-${++calls}`,
    name,
    input,
    ...(invalid && { invalid }),
  })),
  text: 'check: fine\ngoal: go on',
  finish: 'calls',
  isCallFromText: false,
  usage: { input: 100, cached: 40, cacheWritten: 0, output: 10, reasoning: 0 },
  costMicros: 5,
  ms: 1,
  model: 'one',
  provider: 'test',
});
export const finishes = (data?: object) => says(['finish', { state: 'done', summary: 'Done.', ...(data && { data }) }]);

export const failing = (
  kind: ConstructorParameters<typeof ModelFailure>[0],
  more: { retryAfterMs?: number; usage?: ModelAnswer['usage']; costMicros?: number } = {},
): ModelFailure => new ModelFailure(kind, `It is ${kind}.`, { provider: 'test', model: 'one', ms: 1, ...more });

/** Answers only when the call is aborted; fails the test where that does not happen. */
export const thinksUntilAborted = ({ signal }: Asked): Promise<ModelAnswer> =>
  new Promise((_, reject) => {
    const late = setTimeout(() => reject(new Error('the call was not aborted')), 15_000);
    const aborted = () => {
      clearTimeout(late);
      reject(failing('aborted'));
    };
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
  });

export const handle = (ref: string, name: string, more: Partial<ViewHandle> = {}): ViewHandle => ({
  ref,
  role: 'button',
  name,
  tag: 'button',
  type: 'button',
  frame_origin: 'https://shop.test',
  href_origin: null,
  form: null,
  submits: false,
  secret: false,
  download: false,
  box: { x: 0, y: 0, width: 10, height: 10 },
  is_in_view: true,
  ...more,
});

export const page = (hash = 'h1', more: Partial<View> = {}): View => ({
  url: 'https://shop.test/',
  title: 'Shop',
  pages: [],
  dialog: null,
  text: 'Total: 3\n[e1 button "Buy"] [e2 "Next"] [e3 field "Name"]',
  handles: [
    handle('e1', 'Buy'),
    handle('e2', 'Next', { role: 'link', tag: 'a', type: null, href_origin: 'https://shop.test' }),
    handle('e3', 'Name', { role: 'textbox', tag: 'input', type: 'text' }),
  ],
  shape_hash: hash,
  next: null,
  ...more,
});

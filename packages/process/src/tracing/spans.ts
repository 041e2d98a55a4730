// What spans are called and what they may say: lists, so that no text of a page, a person or a model gets into a trace.

/** The kinds of OpenTelemetry. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/** Every span there is. */
export const spanKinds = {
  'http.request': 'server',
  'task.begin': 'producer',
  'task.run': 'consumer',
  'task.step': 'internal',
  'task.decide': 'internal',
  'ledger.write': 'internal',
  'model.call': 'client',
  'bus.request': 'client',
  'host.command': 'server',
  'browser.act': 'internal',
  'browser.evidence': 'internal',
} satisfies Record<string, SpanKind>;
export type SpanName = keyof typeof spanKinds;

type AttributeName =
  | 'method'
  | 'route'
  | 'status'
  | 'request_id'
  | 'task_id'
  | 'session_id'
  | 'agent_id'
  | 'run'
  | 'kind'
  | 'step'
  | 'attempt'
  | 'action'
  | 'message'
  | 'command'
  | 'outcome'
  | 'error'
  | 'model'
  | 'provider'
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_micros';
type Value = string | number | boolean;
export type SpanAttributes = { [Name in AttributeName]?: Value | undefined };

/** Ids, words of a list, patterns of routes, names of models. What people and pages write has spaces or is longer. */
const word = /^[\w./:{}@+-]{1,128}$/;
const notAWord = '?';

/** What is not one word is left out: an attribute that was given a text by mistake does not carry it anywhere. */
export function safeAttributes(given: SpanAttributes): Record<string, Value> {
  const safe: Record<string, Value> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    safe[name] = typeof value === 'string' && !word.test(value) ? notAWord : value;
  }
  return safe;
}

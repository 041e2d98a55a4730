// What a model is told of secrets: the names and origins of those that the person's words name. Never a value.

import type { Redactor } from '@pilothouse/bus';
import { secretRefsIn } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { TaskTurn } from '../ledger/turn.ts';
import type { Message, ModelRequest } from '../model/types.ts';
import type { NamedSecret } from './prompt.ts';

/** Those of the task's own words: what people say later is in the history, and these words stay as they began. */
export async function namedSecrets(store: Store, { task, settings }: TaskTurn): Promise<NamedSecret[]> {
  const refs = [task.prompt, ...settings.constraints].flatMap(secretRefsIn);
  if (refs.length === 0) return [];
  const rows = await store.secrets.named(task.created_by, [...new Set(refs.map(({ name }) => name))]);
  return rows.map(({ name, origins, has_totp }) => ({ name, origins, has_totp }));
}

/** The last net before a request leaves: hosts and looks have redacted their words already. */
export function withoutValues(request: ModelRequest, { isEmpty, text, words }: Redactor): ModelRequest {
  if (isEmpty) return request;
  const struck = (message: Message): Message => {
    if (message.role === 'user') return { ...message, text: text(message.text) };
    if (message.role === 'tool')
      return { ...message, results: message.results.map((one) => ({ ...one, text: text(one.text) })) };
    const calls = message.calls?.map((call) => ({ ...call, input: words({ data: call.input }).data }));
    return { ...message, ...(message.text !== undefined && { text: text(message.text) }), ...(calls && { calls }) };
  };
  return { ...request, messages: request.messages.map(struck) };
}

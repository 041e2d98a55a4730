// Opens the secret that a step types, when its command is sent. The value goes into that command and nowhere else: not into rows, not
// into the log.

import type { TypedSecret } from '@pilothouse/bus';
import { type SecretRef, secretRefOf, secretRefsIn } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';
import { saidByPeople } from '../policy/said-by-people.ts';
import { totpOf } from './totp.ts';

export type OpenedSecret = { secret?: TypedSecret; refused?: string };

type Options = { store: Store; clock?: () => number };

export function createOpenSecret({ store, clock = Date.now }: Options) {
  /** A model types only what people named: a page cannot talk it into another secret of theirs. */
  async function isNamedByPeople(turn: Turn, { name }: SecretRef): Promise<boolean> {
    const said = saidByPeople(turn, await store.taskMessages.of(turn.task.id));
    return said.flatMap(secretRefsIn).some((one) => one.name === name);
  }

  /** Neither a secret nor a refusal for a step that types none. */
  return async function openSecret(turn: Turn): Promise<OpenedSecret> {
    const { step, task, session, decision } = turn;
    const ref = step.action === 'type' ? secretRefOf(step.text) : undefined;
    if (!ref) return {};
    const { kind, name } = ref;
    if (decision && !(await isNamedByPeople(turn, ref)))
      return { refused: `the task does not name the secret ${name}; only secrets that a person names are typed` };
    const open = await store.secrets.use(task.created_by, session.id, name);
    if (!open) return { refused: `there is no secret ${name}` };
    const { origins, value, totp } = open;
    if (kind === 'secret') return { secret: { name, value, origins, is_code: false } };
    if (totp === undefined) return { refused: `the secret ${name} has no key for one-time codes` };
    return { secret: { name, value: totpOf(totp, clock()), origins, is_code: true } };
  };
}

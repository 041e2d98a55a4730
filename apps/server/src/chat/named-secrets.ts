// Refuses a task that names a secret its user does not have, before anything begins. Never opens a secret.

import { AppError, type ChatRequest, type SecretRef, secretRefOf, secretRefsIn } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import { decidePlan, type FindPlanners, type PlanDecision, type Planners } from './plan.ts';

type Named = SecretRef & { pointer: string; where: string };
type Words = Pick<ChatRequest, 'prompt' | 'constraints' | 'steps'>;

/** Decides who plans a chat, and refuses it where it names what is not there. */
export const createDecideChat =
  (store: Pick<Store, 'secrets'>, findPlanners: FindPlanners) =>
  async (caller: Caller, body: ChatRequest): Promise<PlanDecision> => {
    const planners = await findPlanners();
    const decision = decidePlan(body, planners);
    await requireSecrets(store, caller, { words: body, decision, planners });
    return decision;
  };
export type DecideChat = ReturnType<typeof createDecideChat>;

async function requireSecrets(
  { secrets }: Pick<Store, 'secrets'>,
  caller: Caller,
  { words, decision, planners }: { words: Words; decision: PlanDecision; planners: Planners },
): Promise<void> {
  const named = decision.isOpen ? namedByWords(words) : namedBySteps(words, decision, planners);
  if (named.length === 0) return;
  const rows = await secrets.named(caller.id, [...new Set(named.map(({ name }) => name))]);
  const errors = named.flatMap(({ kind, name, pointer, where }) => {
    const found = rows.find((row) => row.name === name);
    if (!found) return { pointer, message: `${where}There is no secret ${name}.` };
    const hasCodes = kind !== 'totp' || found.has_totp;
    return hasCodes ? [] : { pointer, message: `${where}The secret ${name} has no key for one-time codes.` };
  });
  if (errors.length > 0) throw new AppError('validation_failed', { detail: errors[0]?.message, errors });
}

const namedByWords = ({ prompt, constraints }: Words): Named[] => [
  ...secretRefsIn(prompt).map((ref) => ({ ...ref, pointer: '/body/prompt', where: '' })),
  ...constraints.flatMap((one, i) =>
    secretRefsIn(one).map((ref) => ({ ...ref, pointer: `/body/constraints/${i}`, where: '' })),
  ),
];

function namedBySteps({ prompt, steps: given }: Words, { steps }: PlanDecision, { parseScript }: Planners): Named[] {
  const script = given ? undefined : parseScript?.(prompt);
  const lines = script?.ok ? script.lines : undefined;
  return steps.flatMap((step, i) => {
    const ref = step.action === 'type' ? secretRefOf(step.text) : undefined;
    if (!ref) return [];
    return lines
      ? { ...ref, pointer: '/body/prompt', where: `line ${lines[i]}: ` }
      : { ...ref, pointer: `/body/steps/${i}/text`, where: '' };
  });
}

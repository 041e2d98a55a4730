// Answers servers that want the plan of a task which is not begun: one call of a model, without a task. What it used is counted for
// the person who asked.

import { type Bus, type PlanWanted, type PlanWantedReply, planWanted, queues } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { ModelFailure } from '../model/failure.ts';
import type { Usage } from '../model/types.ts';
import type { Mind } from './mind.ts';
import { planRequestOf } from './plan-request.ts';
import { planIn } from './plan-tool.ts';

type Options = { bus: Pick<Bus, 'respond'>; store: Pick<Store, 'modelBudget'>; mind: Mind; log: Log };
type Used = { usage?: Usage; costMicros?: number };

const failed = (message: string, isFinal: boolean): PlanWantedReply => ({
  type: 'failed',
  message,
  is_final: isFinal,
});

export async function startPlanAhead({ bus, store, mind, log }: Options): Promise<{ close(): Promise<void> }> {
  // Only agents that could answer listen: a server hears at once that there is none.
  if (mind.models.list.length === 0) return { close: async () => {} };

  /** A plan that could not be counted is delivered all the same. */
  async function count(userId: string | undefined, { usage, costMicros = 0 }: Used): Promise<void> {
    if (!userId || !usage) return;
    const used = { tokens: usage.input + usage.output, costMicros };
    await store.modelBudget.add(userId, used).catch((error: unknown) => {
      log.warn({ err: error, user_id: userId, ...used }, 'could not count what a plan used');
    });
  }

  async function plan(wanted: PlanWanted, signal: AbortSignal): Promise<PlanWantedReply> {
    const { user_id, prompt, model, files, started_on, ...settings } = wanted;
    const chosen = model === null ? mind.models.default : mind.models.byName(model);
    if (!chosen) return failed('The agent that was asked does not have this model.', false);
    const task = { prompt, settings, files, startedOn: started_on, planItems: null };
    const request = planRequestOf({ model: chosen.name, task, answers: [], messages: [] });
    try {
      const answer = await mind.ask(request, { signal });
      await count(user_id, answer);
      const items = planIn(answer.toolCalls);
      return typeof items === 'string'
        ? failed('The model gave no plan that can be used.', false)
        : { type: 'planned', items };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      await count(user_id, error);
      log.warn({ model: error.model, kind: error.kind, ms: error.ms }, 'a model did not answer with a plan');
      return failed(error.message, !error.isRetryable);
    }
  }

  const responder = bus.respond(planWanted, {}, (wanted, { signal }) => plan(wanted, signal), { queue: queues.plan });
  await responder.ready({ timeoutMs: 5000 });
  return { close: () => responder.close() };
}

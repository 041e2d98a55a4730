// Asks an agent what a model would do for a chat, and begins nothing. The server has no model key.

import { type Bus, planWanted } from '@pilothouse/bus';
import { AppError, type ChatRequest, type PlanItem } from '@pilothouse/contract';

type Options = {
  bus: Pick<Bus, 'request'>;
  /** The longest wait; a bus lets nobody answer later than after 30 s. */
  timeoutMs?: number;
};
export type PlanAhead = (body: ChatRequest, userId: string) => Promise<PlanItem[]>;

const usualMs = 28_000;
const retryAfterSecs = 5;

const notNow = (detail: string) => new AppError('overloaded', { detail, retryAfterSecs });
const noAgent = 'No agent with a model answers at the moment.';
const tooLate = 'The model made no plan in time.';

export function createPlanAhead({ bus, timeoutMs = usualMs }: Options): PlanAhead {
  return async (body, userId) => {
    const wanted = {
      user_id: userId,
      prompt: body.prompt,
      model: body.model ?? null,
      current_url: body.current_url ?? null,
      constraints: body.constraints,
      allowed_domains: body.allowed_domains ?? null,
      output_schema: body.output_schema ?? null,
      files: body.files?.map(({ name }) => name) ?? [],
      started_on: new Date().toISOString().slice(0, 10),
    };
    const result = await bus.request(planWanted, {}, wanted, { timeoutMs });
    if (!result.ok) throw notNow(result.reason === 'timeout' ? tooLate : noAgent);
    const { reply } = result;
    if (reply.type === 'planned') return reply.items;
    const detail = `The model made no plan. ${reply.message}`;
    throw reply.is_final ? new AppError('conflict', { detail }) : notNow(detail);
  };
}

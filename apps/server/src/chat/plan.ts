// Decides who plans a task, and checks the plan: given steps, else a script if every line parses, else a model.

import {
  AppError,
  type ChatRequest,
  isMeantAsScript,
  type Plan,
  type Planner,
  type Problem,
  type ScriptError,
  type Step,
} from '@pilothouse/contract';

import { schemaProblem } from './output-schema.ts';

export type ParseScript = (
  text: string,
) => { ok: true; steps: Step[]; lines?: number[] } | { ok: false; errors: ScriptError[] };
/** What can make steps of a prompt now: scripts, and the models that agents say they may ask. */
export type Planners = { parseScript?: ParseScript; models?: readonly string[] };
/** The same, asked for each request: agents come and go. */
export type FindPlanners = () => Promise<Planners>;
/** The values of `planner` that this server can follow. Given steps need none. */
export const plannersOf = ({ parseScript, models = [] }: Planners): Planner[] => [
  'auto',
  ...(parseScript ? (['script'] as const) : []),
  ...(models.length > 0 ? (['llm'] as const) : []),
];
/** `isOpen`: there are no steps yet, because a model finds them while it works. */
export type PlanDecision = Plan & { isOpen: boolean };

type PlanRequest = Pick<
  ChatRequest,
  'prompt' | 'planner' | 'steps' | 'max_steps' | 'model' | 'output_schema' | 'judge' | 'confirm'
>;

export function decidePlan(request: PlanRequest, planners: Planners): PlanDecision {
  const decided = planOf(request, planners);
  if (request.judge && !decided.isOpen) throw refusal('/judge', 'is only for tasks that a model plans');
  return decided;
}

function planOf(request: PlanRequest, planners: Planners): PlanDecision {
  const { prompt, planner, steps, max_steps, confirm } = request;
  if (confirm && planner !== 'llm') throw refusal('/confirm', 'needs the planner llm', confirmNeedsModel);
  const hasModel = (planners.models ?? []).length > 0;
  if (planner === 'llm') {
    if (steps) throw refusal('/steps', 'must not be given to a model that plans by itself');
    if (!hasModel) throw refusal('/planner', 'is not available', `${noModel} ${otherwise}`);
    return openPlan(request, planners);
  }
  if (steps) return bounded('/steps', steps, max_steps);
  const parsed = planners.parseScript?.(prompt);
  if (parsed?.ok) {
    if (parsed.steps.length === 0) throw refusal('/prompt', 'has no step');
    return bounded('/prompt', parsed.steps, max_steps);
  }
  // A script with a mistake is not worth a model.
  if (planner === 'auto' && hasModel && !(parsed && isMeantAsScript(prompt))) return openPlan(request, planners);
  if (!parsed) throw refusal('/steps', 'is required', `This server reads no scripts. ${noModel} Send the steps.`);
  const isScript = planner === 'script' || hasModel;
  const detail = isScript ? 'The script cannot be read.' : `This is no script. ${noModel} ${otherwise}`;
  throw new AppError('validation_failed', { detail, errors: parsed.errors.map(fieldError) });
}

function openPlan({ model, output_schema }: PlanRequest, { models = [] }: Planners): PlanDecision {
  if (model !== undefined && !models.includes(model))
    throw refusal('/model', `is none of the models of this installation: ${models.join(', ')}`);
  const problem = output_schema && schemaProblem(output_schema);
  if (problem) throw refusal('/output_schema', problem);
  return { steps: [], isOpen: true };
}

const noModel = 'No model is configured that could plan by itself: configure one for the agents.';
const confirmNeedsModel = 'Only the plan of a model can be agreed to before it begins: send "planner": "llm" with it.';
const otherwise = 'Or send the steps, or write a script.';

function bounded(field: string, steps: Step[], maxSteps: number): PlanDecision {
  if (steps.length > maxSteps) throw refusal(field, `has more than max_steps (${maxSteps}) steps`);
  return { steps, isOpen: false };
}

/** The message of the parser already names the nearest instruction that it knows. */
const fieldError = ({ line, column, message }: ScriptError) => ({
  pointer: '/body/prompt',
  message: `line ${line}, column ${column}: ${message}`,
});

function refusal(field: string, message: string, detail?: string): AppError {
  const errors: Problem['errors'] = [{ pointer: `/body${field}`, message }];
  return new AppError('validation_failed', { detail, errors });
}

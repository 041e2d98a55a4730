// Decides who plans a task, and checks the plan: given steps, else a script if every line parses, else a model.

import {
  AppError,
  type ChatRequest,
  type Plan,
  type Planner,
  type Problem,
  type ScriptError,
  type Step,
} from '@pilothouse/contract';

export type ParseScript = (text: string) => { ok: true; steps: Step[] } | { ok: false; errors: ScriptError[] };
/** What can make steps of a prompt at this server. */
export type Planners = { parseScript?: ParseScript; hasModel?: boolean };
/** The values of `planner` that this server can follow. Given steps need none. */
export const plannersOf = ({ parseScript, hasModel }: Planners): Planner[] => [
  'auto',
  ...(parseScript ? (['script'] as const) : []),
  ...(hasModel ? (['llm'] as const) : []),
];
/** `isOpen`: there are no steps yet, because a model finds them while it works. */
export type PlanDecision = Plan & { isOpen: boolean };

type PlanRequest = Pick<ChatRequest, 'prompt' | 'planner' | 'steps' | 'max_steps'>;

export function decidePlan({ prompt, planner, steps, max_steps }: PlanRequest, planners: Planners): PlanDecision {
  if (planner === 'llm') {
    if (steps) throw refusal('/steps', 'must not be given to a model that plans by itself');
    if (!planners.hasModel) throw refusal('/planner', 'is not available', `${noModel} ${otherwise}`);
    return open;
  }
  if (steps) return bounded('/steps', steps, max_steps);
  const parsed = planners.parseScript?.(prompt);
  if (parsed?.ok) {
    if (parsed.steps.length === 0) throw refusal('/prompt', 'has no step');
    return bounded('/prompt', parsed.steps, max_steps);
  }
  if (planner === 'auto' && planners.hasModel) return open;
  if (!parsed) throw refusal('/steps', 'is required', `This server reads no scripts. ${noModel} Send the steps.`);
  const detail = planner === 'script' ? 'The script cannot be read.' : `This is no script. ${noModel} ${otherwise}`;
  throw new AppError('validation_failed', { detail, errors: parsed.errors.map(fieldError) });
}

const open: PlanDecision = { steps: [], isOpen: true };
const noModel = 'No model is configured that could plan by itself: configure one for the agents.';
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

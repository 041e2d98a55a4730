import { AppError, type ChatRequest, type Plan, type Problem, type ScriptError, type Step } from '@pilothouse/contract';

export type ParseScript = (text: string) => { ok: true; steps: Step[] } | { ok: false; errors: ScriptError[] };
/** Who can make steps of a prompt here. */
export type Planners = { parseScript?: ParseScript; hasModel?: boolean };
/** The steps; none, where a model finds them one by one while it works. */
export type Decided = Plan & { isOpen: boolean };

type Asked = Pick<ChatRequest, 'prompt' | 'planner' | 'steps' | 'max_steps'>;

/** Who plans, and what: given steps, else a script if every line parses, else the model, else nobody. */
export function decidePlan({ prompt, planner, steps, max_steps }: Asked, planners: Planners): Decided {
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

const open: Decided = { steps: [], isOpen: true };
const noModel = 'No model is configured that could plan by itself: configure one for the agents.';
const otherwise = 'Or send the steps, or write a script.';

function bounded(field: string, steps: Step[], maxSteps: number): Decided {
  if (steps.length > maxSteps) throw refusal(field, `has more than max_steps (${maxSteps}) steps`);
  return { steps, isOpen: false };
}

/** The message names the nearest thing that is understood already. */
const fieldError = ({ line, column, message }: ScriptError) => ({
  pointer: '/body/prompt',
  message: `line ${line}, column ${column}: ${message}`,
});

function refusal(field: string, message: string, detail?: string): AppError {
  const errors: Problem['errors'] = [{ pointer: `/body${field}`, message }];
  return new AppError('validation_failed', { detail, errors });
}

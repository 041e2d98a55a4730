// The limits of a task, as fields. Loaded when they are opened.

import { taskLimits } from '@pilothouse/contract/wire';
import { Field, Input } from '../ui/field.tsx';
import { type OptionErrors, type TaskOptions, usualLimits } from './task-options.ts';

export type LimitFieldsProps = {
  options: TaskOptions;
  errors: OptionErrors;
  onChange: (options: TaskOptions) => void;
  /** Only a new session can be recorded, and only where the operator allows it. */
  canRecord: boolean;
  /** A model decides: it may use so much. */
  isForModel: boolean;
};

type Limit = { name: 'minutes' | 'steps' | 'tokens' | 'dollars'; label: string; usual: string; hint?: string };

const limits: Limit[] = [
  {
    name: 'minutes',
    label: 'Minutes at most',
    usual: usualLimits.minutes,
    hint: 'Time in which a person has the task does not count.',
  },
  { name: 'steps', label: 'Steps at most', usual: usualLimits.steps },
];
const modelLimits: Limit[] = [
  { name: 'tokens', label: 'Tokens at most', usual: taskLimits.tokens.usual.toLocaleString('en-GB') },
  {
    name: 'dollars',
    label: 'Dollars at most',
    usual: 'No limit',
    hint: 'Counts only where the price of the model is known.',
  },
];

export default function LimitFields({ options, errors, onChange, canRecord, isForModel }: LimitFieldsProps) {
  return (
    <div className="grid gap-4">
      {[...limits, ...(isForModel ? modelLimits : [])].map(({ name, label, usual, hint }) => (
        <Field key={name} label={label} hint={hint} error={errors[name]}>
          {(control) => (
            <Input
              {...control}
              inputMode={name === 'minutes' || name === 'dollars' ? 'decimal' : 'numeric'}
              value={options[name]}
              placeholder={usual}
              onChange={(event) => onChange({ ...options, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {isForModel && (
        <label className="flex min-h-6 items-center gap-2.5">
          <input
            type="checkbox"
            checked={options.isPlanFirst}
            onChange={(event) => onChange({ ...options, isPlanFirst: event.target.checked })}
            className="size-4 accent-agent"
          />
          Show me the plan before it begins
        </label>
      )}
      {canRecord && (
        <label className="flex min-h-6 items-center gap-2.5">
          <input
            type="checkbox"
            checked={options.isRecorded}
            onChange={(event) => onChange({ ...options, isRecorded: event.target.checked })}
            className="size-4 accent-agent"
          />
          Keep a recording of the session
        </label>
      )}
    </div>
  );
}

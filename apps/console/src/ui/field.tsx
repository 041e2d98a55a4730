// A field of a form: its name, its control, a hint, and what is wrong with it.

import { Eye, EyeOff } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from 'react';
import { cx } from './class-names.ts';

/** The classes of a control, for those that are no input. */
export const inputClass =
  'h-9 w-full min-w-0 rounded-2 border border-control bg-surface px-3 text-ink transition-colors ' +
  'focus-visible:border-agent focus-visible:outline-3 focus-visible:outline-offset-0 focus-visible:outline-agent-soft ' +
  'aria-invalid:border-bad disabled:bg-sunken disabled:text-ink-3 narrow:h-11';

type InputProps = InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

export function Input({ className, type = 'text', ...rest }: InputProps) {
  return <input type={type} className={cx(inputClass, className)} {...rest} />;
}

type PasswordInputProps = Omit<InputProps, 'type'> & {
  /** For the name of the button. */
  what?: string;
};

/** A password, with a button that shows it. */
export function PasswordInput({ className, what = 'password', ...rest }: PasswordInputProps) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <span className="relative block">
      <Input {...rest} type={isShown ? 'text' : 'password'} className={cx('pr-10', className)} />
      <button
        type="button"
        aria-label={`${isShown ? 'Hide' : 'Show'} the ${what}`}
        onClick={() => setShown(!isShown)}
        className="absolute inset-y-0 right-1 my-auto grid size-7 place-items-center rounded-2 text-ink-2 hover:text-ink"
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </button>
    </span>
  );
}

/** What a control takes from its field, so that its name, hint and error are spoken with it. */
export type FieldControl = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

type FieldProps = { label: string; hint?: string; error?: string; children: (control: FieldControl) => ReactNode };

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': below ? `${id}-below` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {below && (
        <p id={`${id}-below`} className={cx('mt-1.5 text-12', error ? 'text-bad-ink' : 'text-ink-3')}>
          {below}
        </p>
      )}
    </div>
  );
}

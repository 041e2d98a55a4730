// Writes a secret. The value and the key of one-time codes are in their fields only, never in the state of the page: what
// holds state, such as the cache of calls, would keep them after they were sent.

import { ApiError } from '@pilothouse/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { FormError } from '../auth/form-error.tsx';
import type { Secret } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, PasswordInput } from '../ui/field.tsx';
import { LineList } from './line-list.tsx';
import { type Line, textsOf } from './lines.ts';
import { faultOfName, faultsOf, isAtField, linesOf, nameInTexts, nextKey, type SecretFaults } from './secret-form.ts';

type SecretFieldsProps = {
  /** The one that is replaced; absent for a new one. */
  replaced: Secret | undefined;
  /** Of the secrets that there are. */
  names: readonly string[];
  onKept: (name: string) => void;
  onCancel: () => void;
};
type Failure = { faults: SecretFaults; words: string };
type Given = { name: string; lines: Line[]; onKept: (name: string) => void };

/** Sends what is written. The two fields are read when it is sent, and not before. */
function useSending({ name, lines, onKept }: Given) {
  const value = useRef<HTMLInputElement>(null);
  const totp = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const wrongName = faultOfName(name);
    if (wrongName) return setFailure({ faults: { name: wrongName, lines: {} }, words: refused });
    setBusy(true);
    try {
      const key = totp.current?.value.trim();
      const given = { name, value: value.current?.value ?? '', origins: textsOf(lines) };
      await client.putSecret({ ...given, ...(key && { totp: key }) });
      // What is refused stays written, so that it can be put right.
      for (const { current } of [value, totp]) if (current) current.value = '';
      onKept(name);
    } catch (error) {
      const faults = faultsOf(lines, error instanceof ApiError ? error.errors : []);
      setFailure({ faults, words: isAtField(faults) ? refused : describeError(error) });
    } finally {
      setBusy(false);
    }
  };
  return { value, totp, send, isBusy, words: failure?.words, faults: failure?.faults ?? { lines: {} } };
}

export function SecretFields({ replaced, names, onKept, onCancel }: SecretFieldsProps) {
  const [typed, setTyped] = useState(replaced?.name ?? '');
  const [lines, setLines] = useState(() => linesOf(replaced?.origins ?? []));
  const name = typed.trim();
  const { value, totp, send, isBusy, words, faults } = useSending({ name, lines, onKept });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const isKnown = names.includes(name);
  return (
    // No field has a name: a form that is sent without this script would carry the value in the address.
    <form
      ref={form}
      onSubmit={(event) => void send(event)}
      noValidate
      aria-label={replaced ? `Replace ${replaced.name}` : 'New secret'}
      className="mb-3 grid gap-5 rounded-3 bg-surface p-4 ring-1 ring-line"
    >
      {replaced ? (
        <h3 className="font-semibold wrap-anywhere">Replace “{replaced.name}”</h3>
      ) : (
        <NameField name={typed} isKnown={isKnown} error={faultOfName(name) && faults.name} onChange={setTyped} />
      )}
      <Field
        label="Value"
        hint="One line of at least 4 characters. Nobody can read it again, and neither can you."
        error={faults.value}
      >
        {(control) => (
          <div className="max-w-[440px]">
            <PasswordInput {...control} {...asWritten} ref={value} what="value" autoComplete="new-password" />
          </div>
        )}
      </Field>
      <LineList
        label="Origins"
        text="Where it may be typed, exactly: no path and no wildcard."
        item="origin"
        placeholder="https://github.com"
        lines={lines}
        nextKey={nextKey(lines)}
        error={faults.origins}
        errors={faults.lines}
        onChange={setLines}
      />
      <Field
        label="Key of one-time codes (optional)"
        hint={
          replaced?.has_totp
            ? 'It has one now: write it again, or it is removed.'
            : `As the site shows it, in base32. ${nameInTexts('totp', name)} types the code.`
        }
        error={faults.totp}
      >
        {(control) => (
          <div className="max-w-[440px]">
            <PasswordInput {...control} {...asWritten} ref={totp} what="key" autoComplete="off" />
          </div>
        )}
      </Field>
      <FormError text={words} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" size="lg" isBusy={isBusy} className="narrow:h-11">
          {isKnown ? 'Replace the secret' : 'Keep the secret'}
        </Button>
        <Button size="lg" onClick={onCancel} className="narrow:h-11">
          Cancel
        </Button>
      </div>
    </form>
  );
}

type NameFieldProps = { name: string; isKnown: boolean; error: string | undefined; onChange: (name: string) => void };

function NameField({ name, isKnown, error, onChange }: NameFieldProps) {
  const use = `Prompts and scripts say ${nameInTexts('secret', name)}.`;
  return (
    <Field label="Name" hint={isKnown ? 'You have a secret of this name: it is replaced.' : use} error={error}>
      {(control) => (
        <Input
          {...control}
          {...asWritten}
          value={name}
          placeholder="github"
          maxLength={64}
          onChange={({ target }) => onChange(target.value)}
          className="max-w-[440px] font-mono text-12"
        />
      )}
    </Field>
  );
}

const refused = 'It is not kept: see the fields above.';
/** Nothing helps with writing it, and so no service for that is given it. */
const asWritten = {
  dir: 'auto',
  spellCheck: false,
  autoCapitalize: 'off',
  autoCorrect: 'off',
  autoComplete: 'off',
} as const;

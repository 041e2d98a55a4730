// The rules that hold in the end, and where the installation is stricter than the person.

import { Lock } from 'lucide-react';
import type { PolicyReply } from '../live/api-types.ts';
import { LongText } from '../ui/long-text.tsx';
import { stricterThan } from './policy-form.ts';
import { listClass } from './section.tsx';

const modeWords = { free: 'Free', standard: 'Standard', careful: 'Careful', watch: 'Watch' } as const;

export function PolicyInForce({ reply }: { reply: PolicyReply }) {
  const { effective } = reply;
  const stricter = stricterThan(reply);
  const rows: { term: string; text: string; note?: string }[] = [
    {
      term: 'Mode',
      text: modeWords[effective.mode] ?? effective.mode,
      note: stricter.mode && 'The installation is stricter than you.',
    },
    {
      term: 'Sites',
      text: effective.allow.length > 0 ? `Only ${effective.allow.join(', ')}` : 'Every site',
      note:
        stricter.onlyAllowed.length > 0
          ? 'The installation allows no other.'
          : named('The installation does not allow', stricter.notAllowed),
    },
    { term: 'Never', text: hosts(effective.deny), note: named('Of the installation', stricter.deny) },
    { term: 'Only to read', text: hosts(effective.read_only), note: named('Of the installation', stricter.read_only) },
    { term: 'Only while you watch', text: hosts(effective.watch), note: named('Of the installation', stricter.watch) },
  ];
  return (
    <dl data-testid="policy-in-force" className={listClass}>
      {rows.map(({ term, text, note }) => (
        <div
          key={term}
          className="grid grid-cols-[160px_minmax(0,1fr)] gap-x-3 border-t border-line px-3 py-2 first:border-t-0 narrow:grid-cols-1"
        >
          <dt className="text-ink-3">{term}</dt>
          <dd className="min-w-0 wrap-anywhere">
            <LongText text={text} lines={4} />
            {note && (
              <span className="mt-0.5 flex gap-1.5 text-12 text-ink-2">
                <Lock size={14} strokeWidth={1.75} aria-hidden className="mt-px shrink-0" />
                <span className="min-w-0">
                  <LongText text={note} lines={4} />
                </span>
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const hosts = (names: readonly string[]): string => (names.length > 0 ? names.join(', ') : 'None');
const named = (words: string, names: readonly string[]): string | undefined =>
  names.length > 0 ? `${words}: ${names.join(', ')}` : undefined;

// Why a prompt or script was not taken: for a script line by line, with the way to the line.

import type { ScriptFault } from '../api/words.ts';

type FaultsProps = { faults: readonly ScriptFault[]; onLine: (fault: ScriptFault) => void; className?: string };

export function Faults({ faults, onLine, className }: FaultsProps) {
  return (
    <ul className={className}>
      {faults.map((fault) => (
        <li key={`${fault.line} ${fault.column}`} className="flex items-start gap-3 py-0.5">
          <button type="button" onClick={() => onLine(fault)} className="shrink-0 font-medium text-bad-ink underline">
            Line {fault.line}
          </button>
          <span className="min-w-0 wrap-anywhere whitespace-pre-line" dir="auto">
            {fault.message}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How many steps a script has, and how many of them cannot be undone. */
export function describeScript({ steps, irreversible }: { steps: number; irreversible: number }): string {
  if (steps === 0) return '';
  const count = `${steps} ${steps === 1 ? 'step' : 'steps'}`;
  return irreversible > 0 ? `${count}, ${irreversible} cannot be undone` : count;
}

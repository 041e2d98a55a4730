// Why a prompt or script was refused.

import { describeError, type ScriptFault } from '../api/words.ts';
import { Faults } from '../compose/faults.tsx';

export const problemBox = 'mt-3 rounded-3 bg-surface p-3 ring-1 ring-line';

type RefusedProps = { error: Error | null; faults: readonly ScriptFault[]; onLine: (fault: ScriptFault) => void };

export function Refused({ error, faults, onLine }: RefusedProps) {
  if (faults.length > 0) return <Faults faults={faults} onLine={onLine} className={problemBox} />;
  return error && <p className={`${problemBox} text-bad-ink`}>{describeError(error)}</p>;
}

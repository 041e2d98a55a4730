// The state of a session as a chip.

import { Check, Clock, type LucideIcon, X } from 'lucide-react';
import { Chip } from '../ui/chip.tsx';
import type { SessionView } from './session-state.ts';

const icons: Record<string, LucideIcon> = { Done: Check, Failed: X, 'Waits its turn': Clock };

export function SessionChip({ view }: { view: SessionView }) {
  return (
    <Chip tone={view.tone} icon={icons[view.word]}>
      {view.word}
    </Chip>
  );
}

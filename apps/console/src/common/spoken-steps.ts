// Whether a screen reader is told the steps of a task as they come.

import { createStored } from './stored.ts';

export const spokenSteps = createStored<'on' | 'off'>('pilothouse.spoken-steps', (kept) =>
  kept === 'off' ? 'off' : 'on',
);

// How the console looks, which keys it hears, and what it says aloud.

import { useSyncExternalStore } from 'react';
import { singleKeys } from '../common/shortcuts.ts';
import { spokenSteps } from '../common/spoken-steps.ts';
import { theme } from '../common/theme.ts';
import { Segmented } from '../ui/segmented.tsx';
import { Section } from './section.tsx';

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
const onOff = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
] as const;

export function Look() {
  const look = useSyncExternalStore(theme.onChange, theme.read);
  const spoken = useSyncExternalStore(spokenSteps.onChange, spokenSteps.read);
  const keys = useSyncExternalStore(singleKeys.onChange, singleKeys.read);
  return (
    <>
      <Section title="Look" text="Dark, light, or as the system is.">
        <Segmented label="Look" value={look} options={themes} onChange={theme.write} />
      </Section>
      <Section title="Single keys" text="Keys such as C and G H. Off, only those with Ctrl or ⌘ work.">
        <Segmented label="Single keys" value={keys} options={onOff} onChange={singleKeys.write} />
      </Section>
      <Section title="Spoken steps" text="A screen reader tells the steps of a task, one at most every five seconds.">
        <Segmented label="Spoken steps" value={spoken} options={onOff} onChange={spokenSteps.write} />
      </Section>
    </>
  );
}

// Every key that does something.

import { useSyncExternalStore } from 'react';
import { isMac, singleKeys } from '../common/shortcuts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { keyMap, sessionKeyMap } from './key-map.ts';

export default function Keys({ onClose }: { onClose: () => void }) {
  const isOn = useSyncExternalStore(singleKeys.onChange, singleKeys.read) === 'on';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Keys"
      text={isOn ? undefined : 'Single keys are switched off in the settings.'}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section aria-label="All keys" tabIndex={0} className="max-h-[70dvh] overflow-y-auto">
        <KeyList entries={keyMap} />
        <h3 className="mt-4 mb-1 text-12 text-ink-3">On the page of a session</h3>
        <KeyList entries={sessionKeyMap} />
      </section>
    </Dialog>
  );
}

function KeyList({ entries }: { entries: typeof keyMap }) {
  return (
    <ul className="grid gap-1">
      {entries.map(({ does, keys }) => (
        <li key={does} className="flex min-h-8 items-center gap-2">
          <span className="flex-1">{does}</span>
          {keys(isMac).map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </li>
      ))}
    </ul>
  );
}

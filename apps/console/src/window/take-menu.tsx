// Take the wheel at the next safe point, or at once.

import { ChevronDown, ShipWheel, Zap } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { DriverAction } from '../live/driver-state.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';

type TakeMenuProps = {
  canTakeNow: boolean;
  busy: DriverAction | undefined;
  onAct: (action: DriverAction) => void;
};

export function TakeMenu({ canTakeNow, busy, onAct }: TakeMenuProps) {
  const isBusy = busy !== undefined;
  return (
    <span className="inline-flex">
      <Button
        look="take"
        size="lg"
        icon={ShipWheel}
        isBusy={isBusy}
        onClick={() => onAct('take')}
        className={cx('narrow:h-11 narrow:px-3', canTakeNow && 'rounded-r-none! narrow:rounded-r-2!')}
      >
        Take the wheel
        <Kbd className="-mr-1 narrow:hidden">W</Kbd>
      </Button>
      {canTakeNow && (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger asChild>
            <Button
              look="take"
              size="lg"
              isBusy={isBusy}
              aria-label="Other ways to take the wheel"
              className="w-[30px] rounded-l-none! border-l-0! px-0! narrow:hidden"
            >
              <ChevronDown size={14} strokeWidth={2} aria-hidden />
            </Button>
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              align="end"
              side="top"
              sideOffset={6}
              className="z-40 w-72 rounded-3 bg-raised p-1.5 shadow-float outline-none"
            >
              <Way
                icon={ShipWheel}
                title="At the next safe point"
                text="The agent ends its step first"
                keys={['W']}
                onSelect={() => onAct('take')}
              />
              <Way
                icon={Zap}
                title="Now"
                text="The step is cut. It counts as a try"
                keys={['⇧', 'W']}
                onSelect={() => onAct('take_now')}
              />
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </span>
  );
}

type WayProps = { icon: typeof Zap; title: string; text: string; keys: string[]; onSelect: () => void };

function Way({ icon: Icon, title, text, keys, onSelect }: WayProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className="flex cursor-default items-start gap-3 rounded-2 p-2.5 outline-none data-highlighted:bg-hover"
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 flex-1">
        <b className="font-semibold">{title}</b>
        <span className="block text-12 text-ink-3">{text}</span>
      </span>
      <span className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </DropdownMenu.Item>
  );
}

// Who drives, and the way to take the wheel or to hand it back. Never hidden.

import {
  Clock,
  Eye,
  Hand,
  type LucideIcon,
  MessageCircleQuestionMark,
  RefreshCw,
  RotateCw,
  ShipWheel,
  Sparkle,
  Square,
  StickyNote,
  WifiOff,
  Zap,
} from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { TimeText } from '../common/time-text.tsx';
import { useTime } from '../common/use-time.ts';
import type { DriverAction, DriverIcon, DriverState, DriverTone } from '../live/driver-state.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';
import { LeaseRing } from './lease-ring.tsx';
import { TakeMenu } from './take-menu.tsx';

type DriverBarProps = {
  state: DriverState;
  /** With the clocks in its words, and the end of the lease. */
  stateAt: (now: number) => DriverState;
  /** An action of which the answer is awaited. */
  busy: DriverAction | undefined;
  onAct: (action: DriverAction, note?: string) => void;
};

const grounds: Record<DriverTone, string> = {
  plain: 'border-line bg-surface',
  you: 'border-transparent bg-person text-on-person',
  ask: 'border-line bg-person-soft',
  waiting: 'border-line waiting-stripes',
  them: 'border-line bg-other-soft',
};

export function DriverBar({ state, stateAt, busy, onAct }: DriverBarProps) {
  const isYou = state.tone === 'you';
  return (
    <div
      data-testid="driver"
      data-state={state.kind}
      className={cx(
        'flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-t py-2 pr-3 pl-4 narrow:min-h-16 narrow:gap-x-2.5 narrow:pl-3',
        grounds[state.tone],
      )}
    >
      <Helm icon={state.icon} tone={state.tone} who={state.who} />
      <div className={cx('min-w-0', isYou ? 'narrow:flex-1' : 'flex-1')}>
        {/* Who drives is spoken when it changes; the clocks beside it change every second. */}
        <div role="status" className="truncate text-14 leading-5 font-semibold" dir="auto">
          {state.who}
        </div>
        <div
          dir="auto"
          className={cx(
            'truncate text-12 tabular-nums',
            isYou ? 'opacity-90' : state.tone === 'plain' ? 'text-ink-3' : 'text-ink-2',
          )}
        >
          <TimeText read={(now) => stateAt(now).sub} />
        </div>
      </div>
      {state.leaseEndsAt && <LeaseRing readEnd={(now) => stateAt(now).leaseEndsAt} />}
      {isYou && state.actions.length === 0 && <span className="flex-1" />}
      <Actions state={state} stateAt={stateAt} busy={busy} onAct={onAct} />
    </div>
  );
}

const icons: Record<Exclude<DriverIcon, 'initials'>, LucideIcon> = {
  agent: Sparkle,
  wheel: ShipWheel,
  clock: Clock,
  offline: WifiOff,
  reload: RotateCw,
  eye: Eye,
  question: MessageCircleQuestionMark,
  hand: Hand,
  again: RefreshCw,
  closed: Square,
};

function Helm({ icon, tone, who }: { icon: DriverIcon; tone: DriverTone; who: string }) {
  const isAgent = icon === 'agent' || icon === 'eye' || icon === 'again';
  const looks: Record<DriverTone, string> = {
    plain: isAgent ? 'bg-agent-soft text-agent-ink helm-ring' : 'bg-sunken text-ink-3',
    you: 'bg-on-person/15 text-on-person',
    ask: 'text-person-ink inset-ring-2 inset-ring-person-edge',
    waiting: 'bg-person text-on-person',
    them: 'bg-other text-surface',
  };
  const Icon = icon === 'initials' ? undefined : icons[icon];
  return (
    <span className={cx('relative grid size-8 shrink-0 place-items-center rounded-full', looks[tone])}>
      {Icon ? (
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      ) : (
        <b className="text-12">{who.slice(0, 2).toUpperCase()}</b>
      )}
    </span>
  );
}

function Actions({ state, stateAt, busy, onAct }: DriverBarProps) {
  const has = (action: DriverAction) => state.actions.includes(action);
  const act = (action: DriverAction) => ({ onClick: () => onAct(action), isBusy: busy !== undefined });
  return (
    <>
      {has('answer') && (
        <Button size="lg" className="narrow:h-11 narrow:px-2.5" {...act('answer')}>
          Answer <Kbd className="-mr-1 narrow:hidden">A</Kbd>
        </Button>
      )}
      {has('i_am_here') && (
        <Button
          size="lg"
          className="border-transparent! bg-transparent! text-on-person! inset-ring-1 inset-ring-on-person/45"
          {...act('i_am_here')}
        >
          I am here
        </Button>
      )}
      {has('hand_back') && <HandBack busy={busy} stateAt={stateAt} onAct={onAct} />}
      {has('take') && <TakeMenu canTakeNow={has('take_now')} busy={busy} onAct={onAct} />}
      {has('take_again') && (
        <Button look="take" size="lg" icon={ShipWheel} className="narrow:h-11 narrow:px-3" {...act('take_again')}>
          Take it again
        </Button>
      )}
      {has('open_and_drive') && (
        <Button look="take" size="lg" icon={ShipWheel} className="narrow:h-11 narrow:px-3" {...act('open_and_drive')}>
          Open and drive
        </Button>
      )}
      {has('drive_here') && (
        <Button look="take" size="lg" {...act('drive_here')}>
          Drive here
        </Button>
      )}
      {has('take_now') && !has('take') && (
        <Button look="take" size="lg" icon={Zap} {...act('take_now')}>
          Take now <Kbd className="-mr-1 narrow:hidden">⇧ W</Kbd>
        </Button>
      )}
      {has('never_mind') && (
        <Button look="quiet" size="lg" {...act('never_mind')}>
          Never mind
        </Button>
      )}
      {has('keep_picture') && (
        <Button size="lg" {...act('keep_picture')}>
          Keep this picture
        </Button>
      )}
      {has('cancel') && (
        <Button look="quiet" size="lg" {...act('cancel')}>
          Cancel
        </Button>
      )}
    </>
  );
}

type HandBackProps = Pick<DriverBarProps, 'stateAt' | 'busy' | 'onAct'>;

/** The note goes with Enter. */
function HandBack({ stateAt, busy, onAct }: HandBackProps) {
  const hasKey = useTime((now) => !stateAt(now).sub.startsWith('Keys'));
  const [note, setNote] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy === undefined) onAct('hand_back', note.trim() || undefined);
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-1 items-center gap-3 narrow:w-full narrow:flex-none">
      <label className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-2 bg-[rgb(255_255_255/42%)] px-2.5 text-[#4a3409] focus-within:inset-ring-2 focus-within:inset-ring-on-person narrow:h-11">
        <StickyNote size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
        <input
          value={note}
          onChange={(event) => setNote(event.target.value)}
          maxLength={4000}
          dir="auto"
          aria-label="Note for the agent"
          placeholder="Note for the agent · Enter hands back"
          className="min-w-0 flex-1 bg-transparent text-13 text-on-person outline-none placeholder:text-[#4a3409]"
        />
      </label>
      <Button
        type="submit"
        size="lg"
        isBusy={busy !== undefined}
        className="border-transparent! bg-on-person! font-semibold! text-[#fbe9c4]! narrow:h-11"
      >
        Hand back
        {hasKey && (
          <Kbd className="-mr-1 border-transparent! bg-[rgb(255_255_255/18%)]! text-inherit! narrow:hidden">W</Kbd>
        )}
      </Button>
    </form>
  );
}

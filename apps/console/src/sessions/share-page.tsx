// What a guest sees of a shared session: the picture, and how far the work is. Nothing can be done here.

import { createClient } from '@pilothouse/sdk';
import { Clock, Eye, LinkIcon, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type DriverState, driverState } from '../live/driver-state.ts';
import type { SessionView } from '../live/session-model.ts';
import { Empty } from '../ui/empty.tsx';
import { Mark } from '../ui/mark.tsx';
import { DriverBar } from '../window/driver-bar.tsx';
import { LiveWindow } from '../window/live-window.tsx';
import { useDriverState } from '../window/use-driver-state.ts';
import { type LiveSession, useSession } from './use-session.ts';

export function SharePage() {
  const [named] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const id = named.get('session') ?? '';
  const shareToken = named.get('share') ?? '';
  const client = useMemo(() => createClient({ baseUrl: location.origin, shareToken }), [shareToken]);
  const session = useSession({ client, id });
  const isOver = session.error !== null || session.connection === 'refused' || !id || !shareToken;
  return (
    <div className="flex h-dvh flex-col bg-bg">
      <header className="flex h-13 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
        <Mark size={22} />
        <h1 className="text-14 font-semibold">Pilothouse</h1>
        <span className="inline-flex h-[22px] items-center gap-1.5 rounded-full px-2 text-12 font-medium text-ink-2 inset-ring-1 inset-ring-line-2">
          <Eye size={14} strokeWidth={1.75} aria-hidden />
          Shared, read only
        </span>
        <span className="flex-1" />
        {session.view && !isOver && (
          <span className="inline-flex items-center gap-1 text-12 text-ink-3 tabular-nums">
            <Eye size={14} strokeWidth={1.75} aria-hidden />
            {`${session.view.viewers} watch`}
          </span>
        )}
      </header>
      {isOver ? (
        <Empty icon={LinkIcon} title="This link is not valid, or no longer." className="flex-1" />
      ) : session.view ? (
        <Shared session={session} view={session.view} />
      ) : (
        <Empty icon={Clock} title="Opening the session" className="flex-1" />
      )}
      <footer className="flex shrink-0 items-center justify-center gap-2 border-t border-line px-4 py-3 text-12 text-ink-3">
        <ShieldCheck size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
        You see the picture and how far the work is. Full addresses, what was asked, and what people do stay with the
        owner.
      </footer>
    </div>
  );
}

const driven = {
  kind: 'other',
  tone: 'them',
  icon: 'eye',
  who: 'A person drives',
  sub: 'The page is theirs alone until they hand back',
} as const;

const atWork = { status: 'running', current_step: 0, current_step_title: '', total_steps: null } as const;

function Shared({ session, view }: { session: LiveSession; view: SessionView }) {
  const [marks, setMarks] = useState(true);
  const [isActualSize, setActualSize] = useState(false);
  const progress = view.task?.progress;
  // What a guest reads first says nothing of the task; its progress comes with the next event.
  const isAtWork = view.session.status === 'active';
  // Guests are not told of takeovers: the picture that is withheld says it.
  const isDriven = view.frame?.private_reason === 'driven';
  const stateAt = (now: number): DriverState => {
    const known = driverState({
      session: view.session,
      takeover: view.takeover,
      task: progress || isAtWork ? { ...atWork, ...progress, attempt: 1, question: null } : null,
      clock: progress ? undefined : 'At work',
      connection: session.connection,
      me: undefined,
      tab: { drives: false, hasKeys: false, inputsWaiting: 0 },
      now,
    });
    return { ...known, ...(isDriven && driven), actions: [] };
  };
  const state = useDriverState(stateAt);
  const toggleFull = () =>
    document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  return (
    <main className="mx-auto flex min-h-0 w-full max-w-[1128px] flex-1 flex-col p-4 narrow:p-0">
      <LiveWindow
        view={view}
        frames={session.frames}
        connection={session.connection}
        past={undefined}
        drive={undefined}
        ring={undefined}
        caption={{ text: '' }}
        tools={{
          marks,
          onMarks: () => setMarks(!marks),
          isActualSize,
          onActualSize: () => setActualSize(!isActualSize),
          onFullScreen: () => void toggleFull(),
        }}
      >
        <DriverBar state={state} stateAt={stateAt} busy={undefined} onAct={() => {}} />
      </LiveWindow>
    </main>
  );
}

// The window: tabs, address, picture with marks, caption. What is under it says who drives.

import './live.css';
import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { saysSame, useTime } from '../common/use-time.ts';
import type { Approval, BrowserRoute, Connection, Overlay } from '../live/api-types.ts';
import type { FrameSlot } from '../live/frame-slot.ts';
import type { InputQueue } from '../live/input-queue.ts';
import { currentOverlay } from '../live/marks.ts';
import type { SessionView } from '../live/session-model.ts';
import { cx } from '../ui/class-names.ts';
import { actualSize } from './actual-size.ts';
import { Caption, type CaptionWords } from './caption.tsx';
import { type PictureState, pictureState } from './describe-picture.ts';
import { type PastPicture, Picture } from './picture.tsx';
import { PictureWords } from './picture-words.tsx';
import { focusBar, useKeptFocus } from './use-kept-focus.ts';
import { fit, useIsNarrow, useSize } from './use-size.ts';
import { AddressBar, TabStrip, type WindowTools } from './window-bar.tsx';

/** A moment of the past, in place of the live picture. */
export type PastView = {
  picture: PastPicture | undefined;
  route: BrowserRoute;
  overlay?: Overlay;
  width: number;
  height: number;
};

type LiveWindowProps = {
  view: SessionView;
  frames: FrameSlot;
  connection: Connection;
  past: PastView | undefined;
  drive: { queue: InputQueue; hasKeys: boolean; onKeys: (hasKeys: boolean) => void } | undefined;
  ring: 'you' | 'them' | undefined;
  caption: CaptionWords;
  /** What a person is asked about. */
  approval?: Approval | null;
  tools: WindowTools;
  /** The bar that says who drives. */
  children: ReactNode;
};

/** Loaded when a person begins to drive. */
const ForDriver = lazy(() => import('./for-driver.tsx'));
const KeyRow = lazy(() => import('./key-row.tsx'));
const ProgramNotice = lazy(() => import('./program-notice.tsx'));
const TargetLayer = lazy(() => import('./target-layer.tsx'));

const captionPx = 40;
const notKept: PictureState = {
  kind: 'instead',
  icon: 'hidden',
  title: 'Not kept',
  text: 'A person drove, or the page was private. No picture of it exists.',
};

export function LiveWindow(props: LiveWindowProps) {
  const { view, frames, past, drive, ring, caption, tools, children } = props;
  const [ref, space] = useSize();
  const isNarrow = useIsNarrow();
  const keys = useRef<HTMLTextAreaElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const keptFocus = useKeptFocus({ bar, keys });
  const giveKeys = () => keys.current?.focus({ preventScroll: true });
  const frame = past
    ? { width: past.width, height: past.height, device_scale: view.frame?.device_scale ?? 1 }
    : view.frame;
  const ratio = frame && frame.height > 0 ? frame.width / frame.height : 16 / 9;
  const full = fit({ width: space.width, height: Number.POSITIVE_INFINITY }, ratio);
  const hasCaption = !isNarrow && space.height - full.height >= captionPx;
  const size = tools.isActualSize && frame ? actualSize(frame) : hasCaption ? full : fit(space, ratio);
  const route = past?.route ?? view.route;
  const onInput = drive?.queue.push;
  const state = useTime((now) => stateOf(props, now), saysSame);
  const overlay = overlayOf(props);
  const hasMarks = tools.marks && state.kind !== 'instead';
  const approval = past || drive || !hasMarks ? null : props.approval;
  return (
    <div
      {...keptFocus}
      data-testid="window"
      className={cx(
        'flex min-h-0 flex-1 flex-col overflow-hidden rounded-3 bg-surface narrow:rounded-none',
        ring === 'you' ? 'window-you' : ring === 'them' ? 'window-them' : 'ring-1 ring-line narrow:ring-0',
      )}
    >
      <TabStrip pages={view.pages} current={route} onInput={onInput} />
      <AddressBar route={route} onInput={onInput} tools={tools} />
      <Suspense>{onInput && !past && <ProgramNotice pages={view.pages} onInput={onInput} />}</Suspense>
      <div
        ref={ref}
        className={cx(
          'flex min-h-0 flex-1 flex-col narrow:flex-none',
          drive ? 'narrow:aspect-square' : 'narrow:aspect-video',
        )}
      >
        <div
          className={cx(
            'grid min-h-0 place-items-center bg-sunken',
            tools.isActualSize ? 'overflow-auto' : 'overflow-hidden',
            hasCaption && !tools.isActualSize ? 'shrink-0' : 'flex-1',
          )}
        >
          <div className="relative shrink-0">
            <Picture
              frames={frames}
              past={past?.picture}
              frame={frame}
              size={size}
              overlay={hasMarks && !approval ? overlay : undefined}
              name={nameOf(route)}
              drive={past ? undefined : drive}
              isDimmed={state.kind === 'pill' && state.isDimmed}
              keys={keys}
              onFree={() => focusBar(bar.current)}
            >
              <Suspense>{approval && frame && <TargetLayer {...{ approval, route, frame }} view={size} />}</Suspense>
              <PictureWords state={state} />
            </Picture>
            {!past && drive && (
              <Suspense>
                <ForDriver view={view} queue={drive.queue} picture={size} onDone={giveKeys} />
              </Suspense>
            )}
          </div>
        </div>
        {hasCaption && <Caption {...caption} />}
      </div>
      <Suspense>{drive && !past && <KeyRow queue={drive.queue} />}</Suspense>
      <div ref={bar} tabIndex={-1} className="shrink-0 -outline-offset-2">
        {children}
      </div>
    </div>
  );
}

function stateOf({ view, connection, past, drive }: LiveWindowProps, now: number): PictureState {
  if (past) return past.picture ? { kind: 'shown' } : notKept;
  return pictureState({ ...view, drives: drive !== undefined, connection, now });
}

/**
 * The last mark. Its box is left out where the picture shows another page, also in the past. A person who drives from
 * here knows what they did, and is to see the page answer: their own marks would be drawn between the two.
 */
function overlayOf({ view, past, drive }: Pick<LiveWindowProps, 'view' | 'past' | 'drive'>): Overlay | undefined {
  if (past) return currentOverlay(past.overlay ? [past.overlay] : [], view.history, past.route);
  const last = currentOverlay(view.overlays, view.history, view.frame?.route);
  return drive && last?.source === 'human' ? undefined : last;
}

const nameOf = ({ title, url }: BrowserRoute): string => [title, url].filter(Boolean).join(', ') || 'An empty page';

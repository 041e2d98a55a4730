// What the page asks of the person who drives, and what they copied in it.

import { AskedLayer } from '../asked/asked-layer.tsx';
import type { InputQueue } from '../live/input-queue.ts';
import type { SessionView } from '../live/session-model.ts';
import { actualSize } from './actual-size.ts';
import { CopiedChip } from './copied-chip.tsx';
import { hostOf } from './window-bar.tsx';

type ForDriverProps = {
  view: SessionView;
  queue: InputQueue;
  picture: { width: number; height: number };
  onDone: () => void;
};

export default function ForDriver({ view, queue, picture, onDone }: ForDriverProps) {
  return (
    <>
      {view.asked && view.frame && (
        <AskedLayer
          asked={view.asked}
          host={hostOf(view.route.url)}
          page={actualSize(view.frame)}
          picture={picture}
          onInput={queue.push}
          onDone={onDone}
        />
      )}
      {view.copied && <CopiedChip copied={view.copied} onDone={onDone} />}
    </>
  );
}

// The picture of the page, with marks over it; the page itself to the person who drives.

import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { Frame, Overlay } from '../live/api-types.ts';
import { bytesOf, createFramePainter, type FramePainter } from '../live/frame-painter.ts';
import type { FrameSlot } from '../live/frame-slot.ts';
import type { InputQueue } from '../live/input-queue.ts';
import { createTouchInput } from '../live/touch-input.ts';
import { createWheelInput } from '../live/wheel-input.ts';
import { cx } from '../ui/class-names.ts';
import { MarksLayer } from './marks-layer.tsx';
import type { Size } from './use-size.ts';

/** A picture of the past, in place of the live one. */
export type PastPicture = { id: string; contentType: string; bytes: () => Promise<Uint8Array<ArrayBuffer>> };

type PictureProps = {
  frames: FrameSlot;
  past: PastPicture | undefined;
  /** What the frame says of its size; undefined before the first. */
  frame: Pick<Frame, 'width' | 'height' | 'device_scale'> | undefined;
  size: Size;
  overlay: Overlay | undefined;
  /** Spoken in place of the picture. */
  name: string;
  /** While the person drives from here. */
  drive: { queue: InputQueue; hasKeys: boolean; onKeys: (hasKeys: boolean) => void } | undefined;
  isDimmed: boolean;
  /** The field that has the focus while keys go to the page. */
  keys: RefObject<HTMLTextAreaElement | null>;
  /** The person frees the keys: the focus has to go elsewhere. */
  onFree: () => void;
  children?: ReactNode;
};

export function Picture(props: PictureProps) {
  const { frames, past, frame, size, overlay, name, drive, isDimmed, keys, onFree, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  usePainter(canvas, frames, past);

  const pageSize = useRef({ width: 1280, height: 720 });
  if (frame) {
    const scale = frame.device_scale || 1;
    pageSize.current = { width: frame.width / scale, height: frame.height / scale };
  }
  const { queue, onKeys } = drive ?? {};
  const free = useRef(onFree);
  free.current = onFree;
  useEffect(() => {
    if (!queue || !onKeys || !stage.current || !keys.current) return;
    const input = createWheelInput({
      picture: stage.current,
      keys: keys.current,
      pageSize: () => pageSize.current,
      queue,
      onKeys,
      onFree: () => free.current(),
    });
    const touch = createTouchInput({ picture: stage.current, pageSize: () => pageSize.current, queue });
    keys.current.focus({ preventScroll: true });
    return () => {
      touch.close();
      input.close();
    };
  }, [queue, onKeys, keys]);

  return (
    <div
      ref={stage}
      className={cx(
        'relative shrink-0 touch-none overflow-hidden',
        drive && 'cursor-default',
        drive?.hasKeys && 'keys-ring',
      )}
      style={size}
    >
      <div className="in-ring absolute inset-0 overflow-clip">
        <canvas
          ref={canvas}
          role="img"
          aria-label={name}
          data-testid="picture"
          className={cx('block', !frame && !past && 'invisible', isDimmed && 'opacity-50 grayscale')}
          style={size}
        />
      </div>
      {frame && <MarksLayer overlay={overlay} frame={frame} view={size} isPast={past !== undefined} />}
      {drive && (
        <textarea
          ref={keys}
          data-testid="page-keys"
          data-takes-keys
          aria-label="The page. What you type goes to it. Shift and Escape free the keys."
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          className="absolute top-0 left-0 size-px resize-none overflow-hidden opacity-0"
        />
      )}
      {children}
    </div>
  );
}

/** Draws the newest frame, or the picture of the past that is looked back to. */
function usePainter(canvas: { current: HTMLCanvasElement | null }, frames: FrameSlot, past: PastPicture | undefined) {
  const painter = useRef<FramePainter>(undefined);
  const isPast = past !== undefined;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const own = createFramePainter({
      canvas: element,
      onPainted: (id) => {
        element.dataset.frame = id;
      },
    });
    painter.current = own;
    return () => {
      own.close();
      painter.current = undefined;
    };
  }, [canvas]);
  useEffect(() => {
    if (isPast) return;
    const show = ({ frame_id, content_type, screenshot_base64 }: Frame) =>
      painter.current?.show({ id: frame_id, contentType: content_type, bytes: () => bytesOf(screenshot_base64) });
    const newest = frames.newest();
    if (newest) show(newest);
    return frames.onFrame(show);
  }, [frames, isPast]);
  useEffect(() => {
    if (past) painter.current?.show(past);
  }, [past]);
}

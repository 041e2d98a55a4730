// One frame in each form in which viewers may get it, encoded once for all viewers of that form.

import type { Frame } from '@pilothouse/bus';
import { encodeFrame } from './encode.ts';
import { sharePicture } from './share.view.ts';
import { type Driver, maySee, type Picture, privacyOf, type Viewer, withholdPicture } from './withheld.ts';

export type FrameVariants = {
  /** Why the frame is private, for viewers who may not see it. */
  reason: string;
  isFor(viewer: Viewer): boolean;
  forCallers(): Buffer;
  forGuests(): Buffer;
  withheld(): Buffer;
};

/** Each form is encoded when the first viewer needs it. */
export function createVariants(frame: Frame, driver: () => Driver | null): FrameVariants {
  const { epoch } = frame.header;
  const picture = pictureOf(frame, epoch === driver()?.epoch);
  return {
    reason: picture.view.private_reason ?? 'unknown',
    isFor: (viewer) => maySee(picture.view, epoch, driver(), viewer),
    forCallers: encodeOnce(() => picture),
    forGuests: encodeOnce(() => sharePicture(picture)),
    withheld: encodeOnce(() => withholdPicture(picture.view)),
  };
}

function encodeOnce(view: () => Picture): () => Buffer {
  let bytes: Buffer | undefined;
  return () => {
    bytes ??= encodeFrame(view());
    return bytes;
  };
}

function pictureOf({ header, image }: Frame, isDriven: boolean): Picture {
  const { frame_id, session_id, seq, recorded_at, content_type, width, height, device_scale, page, url, title } =
    header;
  const view = {
    frame_id,
    session_id,
    task_id: null,
    seq,
    recorded_at,
    content_type,
    width,
    height,
    device_scale,
    route: { session: session_id, page, frame: null, url, title },
    ...privacyOf(header, isDriven),
    focuses_secret_field: header.focuses_secret_field,
  };
  return { view, image };
}

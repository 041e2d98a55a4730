// Private frames are for the person who drives, not for the owner of the session, nor for admins. Only a page that is
// private because a secret field has the focus is shown to its owner: the host has drawn dots in that field.

import { withheldPicture } from '@pilothouse/bus';
import type { Frame } from '@pilothouse/contract';
import { type Bytes, bytesOf } from '../http/embedded.ts';

/** The person who drives, and the epoch of the takeover. */
export type Driver = { userId: string; epoch: number };

/** A guest has no user id. */
export type Viewer = { userId: string | undefined; isOwner: boolean };
type Privacy = Pick<Frame, 'private' | 'private_reason'>;

/** Whether the viewer may see a frame of this epoch. */
export function maySee(frame: Privacy, epoch: number, driver: Driver | null | undefined, viewer: Viewer): boolean {
  if (!frame.private) return true;
  if (viewer.userId !== undefined && driver?.epoch === epoch && driver.userId === viewer.userId) return true;
  return viewer.isOwner && frame.private_reason === 'secret_field';
}

/** While a person drives every frame is private, also if the host has not heard of the driver yet. */
export const privacyOf = (frame: Privacy, isDriven: boolean): Privacy =>
  isDriven
    ? { private: true, private_reason: 'driven' }
    : { private: frame.private, private_reason: frame.private ? frame.private_reason : undefined };

/** A frame without its picture, which stays bytes until it is sent. */
export type FrameView = Omit<Frame, 'screenshot_base64'>;
export type Picture<Image = Uint8Array> = { view: FrameView; image: Image };

/** Shown in place of a private frame: that there is one, and its size. */
export function withholdPicture(view: FrameView): Picture {
  const { content_type, image } = withheldPicture(view);
  const { session, page } = view.route;
  const route = { session, page, frame: null, url: null, title: null };
  return { view: { ...view, content_type, route, private: true }, image };
}

/** The same, read while it is sent. */
export function withhold({ view }: Picture<Bytes>): Picture<Bytes> {
  const withheld = withholdPicture(view);
  return { view: withheld.view, image: bytesOf(withheld.image) };
}

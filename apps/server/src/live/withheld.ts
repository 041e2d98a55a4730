// What is private is for who drives, and for nobody else: not for the owner of the session, nor for admins.

import { withheldPicture } from '@pilothouse/bus';
import type { Frame } from '@pilothouse/contract';

/** A person who drives, and under which epoch. */
export type Driver = { userId: string; epoch: number };

/** Whether somebody may see a private picture that was taken under this epoch. */
export const isDriverOf = (driver: Driver | null | undefined, epoch: number, userId: string | undefined): boolean =>
  driver?.epoch === epoch && userId !== undefined && driver.userId === userId;

/** A frame without its picture, which is bytes until somebody is sent it. */
export type FrameView = Omit<Frame, 'screenshot_base64'>;
export type Picture = { view: FrameView; image: Uint8Array };

/** In its place: that there is one, and its size. */
export function withholdPicture(view: FrameView): Picture {
  const { content_type, image } = withheldPicture(view);
  const { session, page } = view.route;
  const route = { session, page, frame: null, url: null, title: null };
  return { view: { ...view, content_type, route, private: true }, image };
}

/** The same of one that is text already. */
export function withhold({ screenshot_base64: _, ...frame }: Frame): Frame {
  const { view, image } = withholdPicture(frame);
  return { ...view, screenshot_base64: Buffer.from(image).toString('base64') };
}

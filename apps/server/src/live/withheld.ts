// What is private is for who drives, and for nobody else: not for the owner of the session, nor for admins.

import { withheldPicture } from '@pilothouse/bus';
import type { Frame } from '@pilothouse/contract';

/** A person who drives, and under which epoch. */
export type Driver = { userId: string; epoch: number };

/** Whether somebody may see a private picture that was taken under this epoch. */
export const isDriverOf = (driver: Driver | null | undefined, epoch: number, userId: string | undefined): boolean =>
  driver?.epoch === epoch && userId !== undefined && driver.userId === userId;

/** In its place: that there is one, and its size. */
export function withhold(frame: Frame): Frame {
  const { content_type, image } = withheldPicture(frame);
  const { session, page } = frame.route;
  return {
    ...frame,
    content_type,
    screenshot_base64: image.toString('base64'),
    route: { session, page, frame: null, url: null, title: null },
    private: true,
  };
}

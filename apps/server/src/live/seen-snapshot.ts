// A snapshot whose picture is still bytes.

import type { Snapshot } from '@pilothouse/contract';
import type { Bytes } from '../http/embedded.ts';
import type { Picture } from './withheld.ts';

export type SeenSnapshot = { snapshot: Omit<Snapshot, 'last_frame'>; picture: Picture<Bytes> | undefined };

/** As the API shows it: `embed` returns the text that stands for the picture. */
export const viewSnapshot = ({ snapshot, picture }: SeenSnapshot, embed: (image: Bytes) => string): Snapshot => ({
  ...snapshot,
  last_frame: picture ? { ...picture.view, screenshot_base64: embed(picture.image) } : null,
});

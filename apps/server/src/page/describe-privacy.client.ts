// Says why a frame is private, or what is covered in it.

import type { Frame } from '@pilothouse/contract';

type FramePrivacy = Pick<Frame, 'private' | 'private_reason' | 'focuses_secret_field' | 'content_type'>;

const reasons = {
  driven: 'A person drives. Only they see the page.',
  page_not_masked: 'This page cannot be covered with dots yet. Nobody sees it until it can.',
  unknown_keys: 'A person typed where no dots can cover it. Nobody sees the page until it shows another document.',
} as const;

/** Empty if the frame is not private and nothing is covered. */
export function describePrivacy(frame: FramePrivacy): string {
  if (!frame.private)
    return frame.focuses_secret_field
      ? 'This page puts the focus into a password or card field by itself. The field is covered with dots.'
      : '';
  if (frame.private_reason === 'secret_field')
    // The picture that stands for a withheld one is a PNG.
    return frame.content_type === 'image/png'
      ? 'A password or card field is in use. Only the owner of the session sees the page.'
      : 'A password or card field is in use. Only you see the page, and the field is covered with dots.';
  if (frame.private_reason === 'driven' && frame.content_type !== 'image/png')
    return 'You drive. Only you see the page.';
  return frame.private_reason ? reasons[frame.private_reason] : 'This page is private.';
}

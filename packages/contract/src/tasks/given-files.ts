// Files that a request brings for uploads.

import { z } from 'zod';
import { sizes } from '../types/sizes.ts';
import { text } from '../types/text.ts';

/** It becomes the last part of a path at the host. */
const FileName = text(200, 1).refine(
  (name) => !/[/\\]/.test(name) && name !== '.' && name !== '..',
  'must be a plain name',
);

const GivenFile = z.object({ name: FileName, content_base64: z.base64() });

/** The size of base64: three bytes in four characters, without the padding. */
const bytesOf = ({ content_base64: letters }: z.infer<typeof GivenFile>) =>
  (letters.length / 4) * 3 - (letters.endsWith('==') ? 2 : letters.endsWith('=') ? 1 : 0);

/**
 * Files for a page to be sent, each by another name. They travel in the body of a request, so it says how much they
 * are.
 */
export const givenFiles = (maxKib: number) =>
  z
    .array(GivenFile)
    .max(sizes.files)
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'must have different names')
    .refine(
      (files) => files.reduce((sum, file) => sum + bytesOf(file), 0) <= maxKib * 1024,
      `must be ${maxKib} KiB in all`,
    );
export type GivenFiles = z.infer<ReturnType<typeof givenFiles>>;

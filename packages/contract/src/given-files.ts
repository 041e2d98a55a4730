import { z } from 'zod';
import { text } from './text.ts';

/** Together in bytes: they travel in the body of a request. */
const maxFilesBytes = 150 * 1024;

/** It becomes the last part of a path. */
const FileName = text(200, 1).refine(
  (name) => !/[/\\]/.test(name) && name !== '.' && name !== '..',
  'must be a plain name',
);

const GivenFile = z.object({ name: FileName, content_base64: z.base64() });

/** Of base64: three bytes in four letters, less what only fills up. */
const bytesOf = ({ content_base64: letters }: z.infer<typeof GivenFile>) =>
  (letters.length / 4) * 3 - (letters.endsWith('==') ? 2 : letters.endsWith('=') ? 1 : 0);

/** Files for a page to be sent, each by another name. */
export const GivenFiles = z
  .array(GivenFile)
  .max(3)
  .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'must have different names')
  .refine((files) => files.reduce((sum, file) => sum + bytesOf(file), 0) <= maxFilesBytes, 'must be 150 KiB in all');
export type GivenFiles = z.infer<typeof GivenFiles>;

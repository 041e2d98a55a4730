// How large and how many the files of a session may be.

import { StepFailure } from '../common/failure.ts';

export type FileLimits = { fileBytes: number; files: number };

export const defaultFileLimits: FileLimits = { fileBytes: 100 * 1024 * 1024, files: 50 };

export const tooLarge = () => new StepFailure('too_large', 'the file is larger than this host takes');
export const tooMany = () => new StepFailure('too_large', 'the session has as many files as this host takes');

// Why input of a person was refused.

import { AppError } from '@pilothouse/contract';

export const noAnswer = () =>
  new AppError('conflict', {
    detail: 'The browser did not answer. Sent again with the same input_seq, nothing is done twice.',
  });

export const otherWindow = () =>
  new AppError('takeover_conflict', { detail: 'You drive this session in another window.' });

export const notDriver = () => new AppError('takeover_conflict', { detail: 'You do not drive this session.' });

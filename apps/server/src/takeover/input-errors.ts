// Why input of a person was refused.

import { AppError } from '@pilothouse/contract';

/** Nothing is wrong with the input itself: a client that sends it again, however often, loses nothing through an outage. */
const retryAfterSecs = 1;

export const noAnswer = () =>
  new AppError('conflict', {
    detail: 'The browser did not answer. Sent again with the same input_seq, nothing is done twice.',
    retryAfterSecs,
  });

export const noBrowserNow = () =>
  new AppError('conflict', {
    detail: 'The browser cannot be used now, or is being opened again: try again.',
    retryAfterSecs,
  });

export const otherBrowser = () =>
  new AppError('conflict', {
    detail: 'The browser was opened again since this input was made. Look at the page, and count under the new epoch.',
  });

export const otherWindow = () =>
  new AppError('takeover_conflict', { detail: 'You drive this session in another window.' });

export const notDriver = () => new AppError('takeover_conflict', { detail: 'You do not drive this session.' });

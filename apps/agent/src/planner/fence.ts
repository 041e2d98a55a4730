// Marks around words of pages, so that a model knows them from those of people and of ours. A page cannot write one: it knows
// neither the task nor the moment.

import { createHash, randomBytes } from 'node:crypto';

const name = (digits: string): string => `page-${digits.slice(0, 12)}`;

/** For the page that is shown now: another one each time. */
export const newFence = (): string => name(randomBytes(6).toString('hex'));

/** For what earlier steps brought: always the same for a task, so that its requests go on to begin alike. */
export const fenceOfTask = (taskId: string): string =>
  name(createHash('sha256').update(`words of pages for the task ${taskId}`).digest('hex'));

export const fenced = (fence: string, words: string): string => `<${fence}>${words}</${fence}>`;

/** Where a text was cut within the marks, they are closed. */
export const closed = (fence: string, text: string): string =>
  text.lastIndexOf(`<${fence}>`) > text.lastIndexOf(`</${fence}>`) ? `${text}</${fence}>` : text;

// Ids of what pages ask of a person. The next browser of the session gives none of them again: a late answer must not reach
// what another browser asks.

import { randomUUID } from 'node:crypto';

export function createPromptIds(kind: 'd' | 'c' | 'f'): () => string {
  const browser = randomUUID().slice(0, 8);
  let count = 0;
  return () => {
    count += 1;
    return `${kind}${count}-${browser}`;
  };
}

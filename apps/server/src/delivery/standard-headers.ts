// Headers of every answer: a page of another origin may not load it, hold its window, or read it as another type.

export const standardHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

// The place of a session's pointer, as the API shows it.

import type { BrowserRoute, Pointer } from '@pilothouse/contract';
import type { PointerRow } from '@pilothouse/store';

export const nowhere = (session: string): BrowserRoute => ({
  session,
  page: null,
  frame: null,
  url: null,
  title: null,
});

export const viewPointer = ({ route, updated_at, seq }: PointerRow): Pointer => ({
  route,
  updated_at: updated_at.toISOString(),
  seq,
});

// The inputs of a person that go to the page itself: mouse, keys and text.

import type { Input } from '@pilothouse/bus';

export type DeviceInput = Extract<
  Input,
  { action: 'move' | 'click' | 'double_click' | 'down' | 'up' | 'scroll' | 'type' | 'compose' | 'key' | 'paste' }
>;
export type TypingInput = Extract<DeviceInput, { action: 'type' | 'compose' | 'key' | 'paste' }>;

const typingActions = new Set<DeviceInput['action']>(['type', 'compose', 'key', 'paste']);
export const isTyping = (input: DeviceInput): input is TypingInput => typingActions.has(input.action);

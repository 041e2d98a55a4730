// Routes that start tasks.

import { ChatReply, ChatRequest, IdempotencyHeaders, PlanReply } from '../tasks/chat.ts';
import { bodyErrors, bodyLimits, loginErrors, type Route } from '../types/route.ts';

export const chatRoutes = {
  sendChat: {
    method: 'POST',
    path: '/api/chat',
    access: 'user',
    origin: 'interface',
    area: 'chat',
    limit: 'write',
    summary: 'Start a task, or with execute=false only plan it',
    headers: IdempotencyHeaders,
    body: ChatRequest,
    bodyLimitBytes: bodyLimits.chat,
    replies: { 200: PlanReply, 202: ChatReply },
    errors: [
      ...loginErrors,
      ...bodyErrors,
      'forbidden',
      'not_found',
      'conflict',
      'takeover_conflict',
      'quota_exceeded',
      'rate_limited',
    ],
  },
} as const satisfies Record<string, Route>;

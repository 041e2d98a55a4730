// Tools for sessions: list, open and close them.

import { type ListedSession, routes } from '@pilothouse/contract';
import { z } from 'zod';
import { sessionId } from './task-tools.ts';
import { tool } from './tool.ts';

const fewSessions = 20;

export const sessionTools = [
  tool({
    name: 'list_sessions',
    description: 'Your sessions, newest activity first. Each has a browser of its own.',
    input: z.strictObject({
      status: z.enum(['idle', 'active', 'takeover', 'closed']).optional(),
      limit: z.int().min(1).max(100).default(fewSessions),
      cursor: z.string().optional(),
    }),
    annotations: { readOnlyHint: true },
    async run(query, call) {
      const { sessions, next_cursor } = await call.call(routes.listSessions, { query });
      return { facts: { sessions: sessions.map(rowOf), next_cursor } };
    },
  }),
  tool({
    name: 'open_session',
    description: 'Open a session: a browser that stays as it is between calls, until it is closed.',
    input: z.strictObject({
      title: z.string().optional(),
      profile: z.string().optional().describe('Label of a saved login state'),
      record: z.boolean().optional().describe('Keep its frames as a recording'),
    }),
    annotations: { destructiveHint: false, openWorldHint: false },
    async run({ title, profile, record }, call) {
      const { session } = await call.call(routes.createSession, { body: { title, profile_label: profile, record } });
      return { facts: { session_id: session.id, watch: call.linkTo(`/sessions/${session.id}`) } };
    },
  }),
  tool({
    name: 'close_session',
    description: 'Close a session and its browser. What was done in it stays readable.',
    input: z.strictObject({ session_id: sessionId }),
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run({ session_id }, call) {
      await call.call(routes.deleteSession, { params: { id: session_id } });
      return { facts: { session_id, status: 'closed' } };
    },
  }),
];

const rowOf = ({ id, status, title, profile_label, updated_at, last_task, needs_person }: ListedSession) => ({
  ...{ session_id: id, status, title, updated_at },
  ...(profile_label && { profile: profile_label }),
  ...(status === 'takeover' && { driven: 'A person drives this session.' }),
  ...(last_task && { last_task: { task_id: last_task.id, status: last_task.status } }),
  ...(needs_person && { needs_person: { task_id: needs_person.task_id, why: needs_person.why } }),
});

// Which function runs a command. Loaded when it is run: help and completions load none of them.

import type { CommandName } from '../arguments/commands.ts';
import type { Run } from './context.ts';

export const handlers: Record<CommandName, () => Promise<Run>> = {
  demo: async () => (await import('./here.ts')).demo,
  up: async () => (await import('./here.ts')).up,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./login.ts')).logout,
  run: async () => (await import('./run.ts')).run,
  tasks: async () => (await import('./lists.ts')).tasks,
  sessions: async () => (await import('./lists.ts')).sessions,
  inbox: async () => (await import('./lists.ts')).inbox,
  logs: async () => (await import('./logs.ts')).logs,
  answer: async () => (await import('./answer.ts')).answer,
  approve: async () => (await import('./answer.ts')).approve,
  cancel: async () => (await import('./steer.ts')).cancel,
  take: async () => (await import('./steer.ts')).take,
  return: async () => (await import('./steer.ts')).handBack,
  share: async () => (await import('./steer.ts')).share,
  cdp: async () => (await import('./steer.ts')).cdp,
  evidence: async () => (await import('./evidence.ts')).evidence,
  verify: async () => (await import('./evidence.ts')).verify,
  mcp: async () => (await import('./mcp.ts')).mcp,
  'mcp install': async () => (await import('./mcp.ts')).mcpInstall,
  doctor: async () => (await import('./doctor.ts')).doctor,
  completion: async () => (await import('./completion.ts')).completion,
};

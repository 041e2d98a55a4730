// The states of tasks, sessions, browsers and takeovers, as schemas.

import { z } from 'zod';
import { browserStates, sessionStates, takeoverStates, taskStates } from './moves.ts';

export const TaskState = z.enum(taskStates).meta({ id: 'TaskState' });
export type TaskState = z.infer<typeof TaskState>;

/** `active`: a task runs or waits. `takeover`: a person drives. */
export const SessionState = z.enum(sessionStates).meta({ id: 'SessionState' });
export type SessionState = z.infer<typeof SessionState>;

/** Independent of the session's state: a cold browser is restored from its saved state when needed. */
export const BrowserState = z.enum(browserStates).meta({ id: 'BrowserState' });
export type BrowserState = z.infer<typeof BrowserState>;

export const TakeoverState = z.enum(takeoverStates).meta({ id: 'TakeoverState' });
export type TakeoverState = z.infer<typeof TakeoverState>;

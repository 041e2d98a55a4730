// How a program of a user connects to the browser of a session, over the DevTools protocol.

import { z } from 'zod';
import { Timestamp } from '../types/time.ts';

/**
 * What the program gets while a person or a task drives. `fail`: words at once, for agents. `wait`: a takeover looks like a page
 * that loads, for scripts that wait by themselves.
 */
export const WhileProgramDriven = z.enum(['fail', 'wait']);
export type WhileProgramDriven = z.infer<typeof WhileProgramDriven>;

export const ProgramAccessRequest = z
  .object({
    while_driven: WhileProgramDriven.default('fail'),
    /**
     * Who wrote what the program does. What an agent of another maker decides is held to the rules for models; a script that a
     * person wrote needs no yes in the mode `standard`.
     */
    steps_by: z.enum(['person', 'program']).default('program'),
  })
  .meta({ id: 'ProgramAccessRequest' });
export type ProgramAccessRequest = z.infer<typeof ProgramAccessRequest>;

/** The only time the ticket is shown. */
export const ProgramAccess = z
  .object({
    /** With the ticket in it: for programs that cannot send headers. */
    ws_url: z.string(),
    /** For programs that send `Authorization`: it opens the connection as often as they like. */
    http_url: z.string(),
    /** Opens one connection. */
    ticket: z.string(),
    expires_at: Timestamp,
  })
  .meta({ id: 'ProgramAccess' });
export type ProgramAccess = z.infer<typeof ProgramAccess>;

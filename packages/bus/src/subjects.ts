// The one table of what is said on the bus. Permissions are derived from it; nothing else spells a subject.

import { isToken, subject } from './subject.ts';

export const subjects = {
  /** A browser host asks agents to renew its lease. */
  heartbeat: subject('host.{host_id}.heartbeat', ['host_id']),
  /** To a host as such: open a session, report its state. */
  hostCommand: subject('host.{host_id}.command'),
  /** To the browser of one session, at the host that holds it. */
  sessionCommand: subject('host.{host_id}.session.{session_id}.command'),
  /** Live pixels. A viewer knows the session and not the host. */
  frame: subject('host.{host_id}.session.{session_id}.frame', ['host_id', 'session_id']),
  /** A host hands the state of a session to agents for keeping. */
  checkpoint: subject('host.{host_id}.session.{session_id}.checkpoint', ['host_id', 'session_id']),
  /** A host tells agents what happened in a session without being asked. */
  report: subject('host.{host_id}.session.{session_id}.report', ['host_id', 'session_id']),
  /** Files on their way into a session's browser, and out of it. */
  sessionFile: subject('host.{host_id}.session.{session_id}.file'),
  /** Whoever committed an event says "look again". */
  sessionEvent: subject('session.{session_id}.event'),
  /** There is work in the queue: one agent looks now, and not when it would anyway. */
  workQueued: subject('work.queued'),
  /** A login ended: a hint that saves a second; the database has the truth. */
  loginRevoked: subject('login.revoked'),
  /** The share of a session ended before its time: the same kind of hint. */
  shareRevoked: subject('share.revoked'),
};

/** Groups in which one member answers for all. */
export const queues = {
  heartbeat: 'hosts',
  checkpoint: 'state',
  report: 'reports',
  frame: 'recorder',
  work: 'workers',
} as const;

/** The name under which a browser host signs in. */
export function hostUser(hostId: string): string {
  if (!isToken(hostId)) throw new TypeError('a host id must be a plain id');
  return `host-${hostId}`;
}

/** Replies to a user arrive below this; permissions keep everybody else out. */
export function inboxPrefix(user: string): string {
  if (!isToken(user)) throw new TypeError('a bus user must have a plain name');
  return `_IN.${user}`;
}

// The one table of subjects: who publishes and who receives. Permissions, queue groups and the check of replies are
// derived from it; nothing else spells a subject.

import { isToken, type Subject, subject, type Tokens } from './subject.ts';

export const roles = ['server', 'agent', 'host'] as const;
export type Role = (typeof roles)[number];

/** Who signs in to the bus: one process, or several of a kind that share the user. Each has a password and inboxes of its own. */
export type Member = { role: Role; id: string };

/** Queue groups, in which one member handles each message. */
export const queues = {
  heartbeat: 'hosts',
  checkpoint: 'state',
  report: 'reports',
  frame: 'recorder',
  work: 'workers',
  silent: 'probes',
  plan: 'planners',
} as const;

/** `all`: every member of the role receives it. Otherwise the queue group in which one of them does. */
type Hearing = 'all' | (typeof queues)[keyof typeof queues];

export interface Spoken {
  readonly speakers: readonly Role[];
  readonly hearers: { readonly [role in Role]?: Hearing };
  /** The receiver may reply once, to the inbox that the message names. */
  readonly isAnswered: boolean;
}

/** A host publishes and receives only on subjects with its own id: `host_id` is the host's in every entry. */
export const subjects = {
  /** A browser host asks agents to renew its lease. */
  heartbeat: spoken(subject('host.{host_id}.heartbeat', ['host_id']), {
    speakers: ['host'],
    hearers: { agent: queues.heartbeat },
    isAnswered: true,
  }),
  /** To a host: open a session, report its state. */
  hostCommand: spoken(subject('host.{host_id}.command'), {
    speakers: ['server', 'agent'],
    hearers: { host: 'all' },
    isAnswered: true,
  }),
  /** To the browser of one session, at the host that holds it. */
  sessionCommand: spoken(subject('host.{host_id}.session.{session_id}.command'), {
    speakers: ['server', 'agent'],
    hearers: { host: 'all' },
    isAnswered: true,
  }),
  /** Files to and from a session's browser. */
  sessionFile: spoken(subject('host.{host_id}.session.{session_id}.file'), {
    speakers: ['server', 'agent'],
    hearers: { host: 'all' },
    isAnswered: true,
  }),
  /** Opens a connection of a program to the browser of a session. */
  programOpen: spoken(subject('host.{host_id}.session.{session_id}.program'), {
    speakers: ['server'],
    hearers: { host: 'all' },
    isAnswered: true,
  }),
  /** What a program says to the browser, over the connection that one server has for it. */
  programIn: spoken(subject('host.{host_id}.session.{session_id}.program.{connection_id}.in'), {
    speakers: ['server'],
    hearers: { host: 'all' },
    isAnswered: false,
  }),
  /** What the browser says to it. */
  programOut: spoken(subject('host.{host_id}.session.{session_id}.program.{connection_id}.out'), {
    speakers: ['host'],
    hearers: { server: 'all' },
    isAnswered: false,
  }),
  /** Live frames. A viewer knows the session and not the host. */
  frame: spoken(subject('host.{host_id}.session.{session_id}.frame', ['host_id', 'session_id']), {
    speakers: ['host'],
    hearers: { server: 'all', agent: queues.frame },
    isAnswered: false,
  }),
  /** A host sends the state of a session to agents for storage. */
  checkpoint: spoken(subject('host.{host_id}.session.{session_id}.checkpoint', ['host_id', 'session_id']), {
    speakers: ['host'],
    hearers: { agent: queues.checkpoint },
    isAnswered: true,
  }),
  /** A host reports to agents what happened in a session. */
  report: spoken(subject('host.{host_id}.session.{session_id}.report', ['host_id', 'session_id']), {
    speakers: ['host'],
    hearers: { agent: queues.report },
    isAnswered: true,
  }),
  /** An event was committed: look again. */
  sessionEvent: spoken(subject('session.{session_id}.event'), {
    speakers: ['server', 'agent'],
    hearers: { server: 'all' },
    isAnswered: false,
  }),
  /** There is work in the queue: one agent looks now instead of at its next interval. */
  workQueued: spoken(subject('work.queued'), {
    speakers: ['server'],
    hearers: { agent: queues.work },
    isAnswered: false,
  }),
  /** A person cancelled a task, or wants to take over: the agent that works on it looks whether it still may. */
  taskChanged: spoken(subject('task.changed'), {
    speakers: ['server'],
    hearers: { agent: 'all' },
    isAnswered: false,
  }),
  /** A server does not reach the browser of a session: one agent asks its host, and decides. */
  browserSilent: spoken(subject('browser.silent'), {
    speakers: ['server'],
    hearers: { agent: queues.silent },
    isAnswered: false,
  }),
  /** A server wants to know what a model would do: one agent that has a model asks it. */
  planWanted: spoken(subject('plan.wanted'), {
    speakers: ['server'],
    hearers: { agent: queues.plan },
    isAnswered: true,
  }),
  /** A login ended: a hint that saves a second; the database decides. */
  loginRevoked: spoken(subject('login.revoked'), {
    speakers: ['server'],
    hearers: { server: 'all' },
    isAnswered: false,
  }),
  /** The share of a session ended early: the same kind of hint. */
  shareRevoked: spoken(subject('share.revoked'), {
    speakers: ['server'],
    hearers: { server: 'all' },
    isAnswered: false,
  }),
};

function spoken<Name extends string, Open extends Name>(
  of: Subject<Name, Open>,
  said: Spoken,
): Subject<Name, Open> & Spoken {
  return { ...of, ...said };
}

/** The name under which a process signs in. */
export function userOf({ role, id }: Member): string {
  if (!isToken(id)) throw new TypeError(`the id of a ${role} must be a plain id`);
  return `${role}-${id}`;
}

/** The name under which a browser host signs in. */
export const hostUser = (hostId: string): string => userOf({ role: 'host', id: hostId });

/** Replies to a user arrive below this; no other user may subscribe there. */
export function inboxPrefix(user: string): string {
  if (!isToken(user)) throw new TypeError('a bus user must have a plain name');
  return `_IN.${user}`;
}

/** To whose inbox a reply may go: any member of these roles, or, if a host asks, that host. */
export type Asker = Exclude<Role, 'host'> | { host: string };

/** Who may ask on a subject, by the table. On a subject without a host, no host may. */
export function askersOf(of: Spoken): (tokens: Partial<Tokens<'host_id'>>) => Asker[] {
  return ({ host_id }) =>
    of.speakers.flatMap((role): Asker[] => {
      if (role !== 'host') return [role];
      return host_id === undefined ? [] : [{ host: host_id }];
    });
}

/**
 * Whether a reply to this subject reaches an inbox of one of the askers and nothing else. NATS does not say who sent a
 * request, so without this check an asker could have the one who answers speak on a subject that is closed to the
 * asker.
 */
export function isInboxOf(askers: readonly Asker[], reply: string | undefined): boolean {
  const [root, user = '', ...rest] = reply?.split('.') ?? [];
  if (root !== '_IN' || rest.length === 0 || ![user, ...rest].every(isToken)) return false;
  return askers.some((asker) =>
    typeof asker === 'string' ? user.startsWith(`${asker}-`) : user === hostUser(asker.host),
  );
}

import { inboxPrefix, type Member, type Spoken, subjects, userOf } from '@pilothouse/bus';

/** A subject of the table with its tokens filled in; an inbox, or a subject that is nobody's, has no line there. */
export type Target = { subject: string; spoken?: (typeof subjects)[keyof typeof subjects]; hostId?: string };

/** Every subject that a member may publish on, of these hosts and sessions, every inbox, and some that belong to no member. */
export function targetsOf(members: Member[], sessions: string[]): Target[] {
  const hostIds = members.filter(({ role }) => role === 'host').map(({ id }) => id);
  const ofTable = Object.values(subjects).flatMap((spoken) => {
    const hosts = spoken.template.includes('{host_id}') ? hostIds : [undefined];
    const ids = spoken.template.includes('{session_id}') ? sessions : [undefined];
    return hosts.flatMap((hostId) =>
      ids.map((session_id): Target => ({ subject: spoken.pattern({ host_id: hostId, session_id }), spoken, hostId })),
    );
  });
  const inboxes = members.map((member) => ({ subject: `${inboxPrefix(userOf(member))}.forged` }));
  const nobodys = ['_INBOX.x', '$SYS.REQ.SERVER.PING', 'host.other.command', 'anything', 'session.s1.other'];
  return [...ofTable, ...inboxes, ...nobodys.map((subject) => ({ subject }))];
}

/** By the table alone, whatever the permissions were made from it. */
export const maySpeak = ({ role, id }: Member, { spoken, hostId }: Target): boolean =>
  spoken?.speakers.includes(role) === true && (role !== 'host' || hostId === id);

export function mayHear({ role, id }: Member, { spoken, hostId }: Target, queue: string | undefined): boolean {
  const hearers: Spoken['hearers'] = spoken?.hearers ?? {};
  const hearing = hearers[role];
  if (hearing === undefined || (role === 'host' && hostId !== id)) return false;
  // In a group of others it would take what was for them.
  const groups = Object.values(hearers);
  return hearing === 'all' ? queue === undefined || !groups.some((group) => group === queue) : queue === hearing;
}

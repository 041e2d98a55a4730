// Who may say and hear what, derived from the table of subjects. NATS enforces it; a host that was broken into
// reaches its own subjects and nothing else.

import { hostUser, inboxPrefix, queues, subjects } from './subjects.ts';

export interface Permissions {
  user: string;
  publish: string[];
  /** A second word is the queue group without which the subscription is refused. */
  subscribe: string[];
  /** May answer a request once, at the inbox it names, although that inbox is not in `publish`. */
  answers: boolean;
}

const { heartbeat, hostCommand, sessionCommand, sessionFile, frame, checkpoint, report, sessionEvent } = subjects;
const { loginRevoked, shareRevoked, workQueued } = subjects;
const commands = [hostCommand.everything, sessionCommand.everything, sessionFile.everything];
const revocations = [loginRevoked.everything, shareRevoked.everything];

export function serverPermissions(): Permissions {
  return {
    user: 'server',
    publish: [...commands, sessionEvent.everything, workQueued.everything, ...revocations],
    subscribe: [frame.everything, sessionEvent.everything, ...revocations, inboxOf('server')],
    answers: false,
  };
}

export function agentPermissions(): Permissions {
  return {
    user: 'agent',
    publish: [...commands, sessionEvent.everything],
    // Nothing here covers a command: a listener on commands would turn "no responders" into a timeout.
    subscribe: [
      `${heartbeat.everything} ${queues.heartbeat}`,
      `${checkpoint.everything} ${queues.checkpoint}`,
      `${report.everything} ${queues.report}`,
      `${frame.everything} ${queues.frame}`,
      `${workQueued.everything} ${queues.work}`,
      inboxOf('agent'),
    ],
    answers: true,
  };
}

export function hostPermissions(hostId: string): Permissions {
  const user = hostUser(hostId);
  return { user, publish: [`host.${hostId}.>`], subscribe: [`host.${hostId}.>`, inboxOf(user)], answers: true };
}

function inboxOf(user: string): string {
  return `${inboxPrefix(user)}.>`;
}

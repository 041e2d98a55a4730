// The permissions of each user, derived from the table of subjects. NATS enforces them; a compromised process reaches
// its own subjects and nothing else.

import { subjectsMeet } from '../wire/subject.ts';
import { inboxPrefix, type Member, type Role, type Spoken, subjects, userOf } from '../wire/subjects.ts';

export interface Permissions {
  user: string;
  publish: string[];
  /** A second word is the queue group, without which the subscription is refused. */
  subscribe: string[];
  /** Subjects that every member receives, each with the queue groups that no member may join there. */
  noSubscribe: string[];
  /** May answer a request once, at the inbox it names, although that inbox is not in `publish`. */
  answers: boolean;
}

const table: (Spoken & (typeof subjects)[keyof typeof subjects])[] = Object.values(subjects);

export function permissionsOf(member: Member): Permissions {
  const { role, id } = member;
  const user = userOf(member);
  const heard = table.filter(({ hearers }) => hearers[role] !== undefined);
  const own = (of: (typeof table)[number]) => {
    if (role !== 'host') return of.pattern({});
    if (!of.template.includes('{host_id}')) throw new Error(`${of.template} does not say of which host it is`);
    return of.pattern({ host_id: id });
  };
  const made = {
    user,
    publish: table.filter(({ speakers }) => speakers.includes(role)).map(own),
    subscribe: [...heard.map((of) => withQueue(own(of), of, role)), `${inboxPrefix(user)}.>`],
    noSubscribe: heard.flatMap((of) => foreignQueues(of, role).map((queue) => `${own(of)} ${queue}`)),
    answers: heard.some(({ isAnswered }) => isAnswered),
  };
  const [overlap] = overlapsOf(made);
  if (made.answers && overlap) throw new Error(`${user} could answer itself: it may say and hear ${overlap}`);
  return made;
}

const withQueue = (subject: string, { hearers }: Spoken, role: Role) => {
  const queue = hearers[role];
  return queue === 'all' ? subject : `${subject} ${queue}`;
};

/** Groups of other roles on a subject that this role hears as a whole: joining one would take messages from them. */
const foreignQueues = ({ hearers }: Spoken, role: Role) =>
  hearers[role] === 'all' ? Object.values(hearers).filter((queue) => queue !== 'all') : [];

/**
 * What a user may both say and hear. NATS lets a user who answers publish to the reply subject of every message that it
 * hears. A user who may send itself a message therefore chooses that subject, and speaks anywhere. So a user who
 * answers must have no overlap at all, and a user who has one must not answer.
 */
export function overlapsOf({ publish, subscribe }: Pick<Permissions, 'publish' | 'subscribe'>): string[] {
  const heard = subscribe.map((line) => line.split(' ', 1)[0] ?? line);
  return publish.filter((said) => heard.some((one) => subjectsMeet(said, one)));
}

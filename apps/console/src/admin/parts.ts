// The parts of the pages of administrators, each at an address of its own.

export const adminParts = [
  { part: 'overview', label: 'Overview' },
  { part: 'hosts', label: 'Hosts' },
  { part: 'tasks', label: 'Tasks' },
  { part: 'users', label: 'Users' },
  { part: 'audit', label: 'Audit' },
] as const;
export type AdminPart = (typeof adminParts)[number]['part'];

export const isAdminPart = (text: string): text is AdminPart => adminParts.some(({ part }) => part === text);

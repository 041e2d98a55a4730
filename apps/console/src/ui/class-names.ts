// Joins class names, and leaves out those that do not apply.

export type ClassName = string | false | null | undefined;

export const cx = (...names: ClassName[]): string => names.filter(Boolean).join(' ');

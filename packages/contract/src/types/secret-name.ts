// How a text names a secret: {{secret:github}}, or {{totp:github}} for a one-time code. Never holds a value.

/** What may stand after the colon. */
export const secretName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export type SecretRef = { kind: 'secret' | 'totp'; name: string };

const whole = /^\{\{(secret|totp):([A-Za-z0-9][A-Za-z0-9._-]{0,63})\}\}$/;
const anywhere = /\{\{(secret|totp):([A-Za-z0-9][A-Za-z0-9._-]{0,63})\}\}/g;
/** Also what was meant as a name and is none. */
const begun = /\{\{\s*(secret|totp)\b/i;

/** The secret that the text names and nothing else; undefined for any other text. */
export function secretRefOf(text: string): SecretRef | undefined {
  const [, kind, name] = whole.exec(text) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind: kind === 'totp' ? 'totp' : 'secret', name };
}

/** Every secret that a text of a person names, each once. */
export function secretRefsIn(text: string): SecretRef[] {
  const found = new Map<string, SecretRef>();
  for (const [said, kind, name = ''] of text.matchAll(anywhere))
    found.set(said, { kind: kind === 'totp' ? 'totp' : 'secret', name });
  return [...found.values()];
}

export const mentionsSecret = (text: string): boolean => begun.test(text);

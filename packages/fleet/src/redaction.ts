// The net for secret values behind that of hosts: hosts redact what they send, and this strikes what a host let through, before
// it is stored or shown to a model. Reads the values from the sealed rows of the session each time and keeps none.

import { createRedactor, type Redactor } from '@pilothouse/bus';
import type { Store } from '@pilothouse/store';

export type RedactorOf = (sessionId: string, alsoTyped?: string) => Promise<Redactor>;

const nothingTyped = createRedactor([]);

export const createRedactorOf =
  ({ secrets }: Pick<Store, 'secrets'>): RedactorOf =>
  async (sessionId, alsoTyped) => {
    if (!secrets.isOn) return nothingTyped;
    const values = await secrets.typedIn(sessionId);
    const all = alsoTyped === undefined ? values : [...values, alsoTyped];
    return all.length === 0 ? nothingTyped : createRedactor(all);
  };

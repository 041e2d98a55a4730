// The names under which this tab has counted inputs of a session. They outlast a reload, so that the tab goes on driving.

type Storage = { getItem(key: string): string | null; setItem(key: string, value: string): void };

export type WindowIds = {
  /** A new name, kept before it is sent: an answer that a reload cut off still counts as this tab's. */
  create(): string;
  isOwn(clientId: string): boolean;
};

/** A name that an answer on its way may still carry. */
const keptIds = 8;

export function createWindowIds(sessionId: string, storage: Storage | undefined, random: () => string): WindowIds {
  const key = `pilothouse.windows.${sessionId}`;
  let unkept: string[] = [];
  const read = (): string[] => {
    try {
      return storage?.getItem(key)?.split(' ') ?? unkept;
    } catch {
      return unkept;
    }
  };
  return {
    create() {
      const id = random();
      unkept = [...read(), id].slice(-keptIds);
      try {
        storage?.setItem(key, unkept.join(' '));
      } catch {
        // The browser keeps nothing: after a reload the person presses “Drive here”.
      }
      return id;
    },
    isOwn: (clientId) => read().includes(clientId) || unkept.includes(clientId),
  };
}

/** Also on a page without TLS, where `randomUUID` is missing. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// What is known of each protocol session of a guest: whether it is of the browser itself, whether the guest sees it, and
// whether a page waits for the guest. No page may wait for ever: the person would see nothing of it.

const usualResumeMs = 10_000;

type Known = { isBrowser: boolean; isShown: boolean; timer?: NodeJS.Timeout };

export type DoorSessions = {
  isBrowser(sessionId: string): boolean;
  isShown(sessionId: string): boolean;
  add(sessionId: string, how: { isBrowser: boolean; isShown: boolean; isWaiting: boolean }): void;
  /** The guest lets the page go on. */
  resumed(sessionId: string): void;
  forget(sessionId: string): void;
  close(): void;
};

type Options = {
  /** The guest's first session, which is of the browser. */
  root: string;
  resumeMs?: number;
  /** Lets a page go on whose guest does not. */
  resume(sessionId: string): void;
};

export function createSessions({ root, resumeMs = usualResumeMs, resume }: Options): DoorSessions {
  const sessions = new Map<string, Known>([[root, { isBrowser: true, isShown: true }]]);
  const resumed = (sessionId: string) => clearTimeout(sessions.get(sessionId)?.timer);
  return {
    isBrowser: (sessionId) => sessions.get(sessionId)?.isBrowser ?? false,
    isShown: (sessionId) => sessions.get(sessionId)?.isShown ?? false,
    add(sessionId, { isBrowser, isShown, isWaiting }) {
      const timer = isWaiting ? setTimeout(() => resume(sessionId), resumeMs).unref() : undefined;
      sessions.set(sessionId, { isBrowser, isShown, timer });
    },
    resumed,
    forget(sessionId) {
      resumed(sessionId);
      sessions.delete(sessionId);
    },
    close() {
      for (const sessionId of sessions.keys()) resumed(sessionId);
      sessions.clear();
    },
  };
}

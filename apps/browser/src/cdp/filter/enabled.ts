// What each session of a guest has asked to be told of: what its client knows of a page, and must be told after a time in
// which it was told nothing. Dialogs are kept beside it.

type Dialog = { event: string; isTold: boolean };
type Known = {
  page: boolean;
  runtime: boolean;
  lifecycle: boolean;
  dialog?: Dialog | undefined;
  closedUnseen: boolean;
};

export type Enabled = {
  /** A command that Chromium was given. */
  note(sessionId: string, method: string, params: Record<string, unknown>): void;
  of(sessionId: string): Readonly<Known>;
  /** Sessions whose client knows frames or contexts. */
  pages(): string[];
  dialogOpened(sessionId: string, event: string, isTold: boolean): void;
  dialogClosed(sessionId: string, isTold: boolean): void;
  /** The state of dialogs has been told. */
  dialogTold(sessionId: string): void;
  forget(sessionId: string): void;
};

const none: Known = { page: false, runtime: false, lifecycle: false, closedUnseen: false };

export function createEnabled(): Enabled {
  const sessions = new Map<string, Known>();
  const of = (sessionId: string): Known => sessions.get(sessionId) ?? none;
  const set = (sessionId: string, change: Partial<Known>) =>
    void sessions.set(sessionId, { ...of(sessionId), ...change });
  return {
    note(sessionId, method, params) {
      if (method === 'Page.enable' || method === 'Page.disable') set(sessionId, { page: method === 'Page.enable' });
      if (method === 'Runtime.enable' || method === 'Runtime.disable')
        set(sessionId, { runtime: method === 'Runtime.enable' });
      if (method === 'Page.setLifecycleEventsEnabled') set(sessionId, { lifecycle: params.enabled === true });
    },
    of,
    pages: () => [...sessions].filter(([, { page, runtime }]) => page || runtime).map(([sessionId]) => sessionId),
    dialogOpened: (sessionId, event, isTold) => set(sessionId, { dialog: { event, isTold } }),
    dialogClosed: (sessionId, isTold) =>
      set(sessionId, { dialog: undefined, closedUnseen: !isTold && of(sessionId).dialog?.isTold === true }),
    dialogTold(sessionId) {
      const { dialog } = of(sessionId);
      set(sessionId, { closedUnseen: false, ...(dialog && { dialog: { ...dialog, isTold: true } }) });
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}

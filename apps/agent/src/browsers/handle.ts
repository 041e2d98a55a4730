// Names a session's browser at its host. A handle proves nothing by itself: the host checks the epoch of every command.

/** A host, and the epoch under which this agent may act in the session's browser there. */
export type HostHold = { hostId: string; epoch: number };

/** `openedEpoch`: the epoch under which the host opened the browser. It is the same browser since then. */
export type BrowserHandle = HostHold & { openedEpoch: number };

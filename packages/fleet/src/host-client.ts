// The client of browser hosts: one function for each command. It does not decide what a failure means for a task.

import {
  type Bus,
  type DomainPolicy,
  fileCommand,
  type HostStatus,
  hostCommand,
  type NumberedInput,
  type Observation,
  type Packed,
  type Picture,
  type ProgramOpen,
  programOpen,
  type SavedState,
  type SessionCommand,
  type SessionReply,
  type SessionView,
  sessionCommand,
  type View,
  type Wait,
} from '@pilothouse/bus';
import type { BrowserAddress, BrowserHold, PersonHold } from './browser-hold.ts';
import { type HostResult, hostResultOf } from './host-result.ts';

/**
 * `written`: names of the fields that the last person who drove wrote into. `view` is absent from a host of an older
 * release.
 */
export type HostLook = { picture: Picture; image: Uint8Array; written: string[]; view: SessionView | undefined };

/** `picture` is null where it was not wanted, or could not be taken in time; then `image` is empty. */
export type PageSeen = { view: View; picture: Picture | null; image: Uint8Array };
/** `from`: `next` of the view before. `since`: the `shape_hash` of an earlier one; what came since is marked. */
export type SeeOptions = { from?: number; since?: string; withPicture?: boolean };

/** What a browser is opened with. `isPerson`: it is opened for a person, who drives it from the start. */
export type BrowserSetup = {
  viewport: { width: number; height: number };
  state: SavedState | null;
  reach: DomainPolicy;
  isPerson: boolean;
  /** Values that were typed in the session before, to be redacted. */
  secrets?: string[];
};

/** `seen`: the id of the last frame that came. */
type WatchOptions = Wait & { forMs: number; isDriven?: boolean; isRecording?: boolean; seen?: string | null };
type SuccessfulReply = Extract<SessionReply, { ok: true }>;

type Send = <Type extends SuccessfulReply['type'], Value>(
  browser: BrowserAddress,
  command: SessionCommand,
  wait: Wait,
  expected: [Type, (head: Extract<SuccessfulReply, { type: Type }>, body: Uint8Array) => Value],
) => Promise<HostResult<Value>>;

export function createHostClient(bus: Bus) {
  const send: Send = async ({ hostId, sessionId }, command, wait, [type, read]) => {
    const result = await bus.request(sessionCommand, { host_id: hostId, session_id: sessionId }, command, wait);
    return hostResultOf(result, ({ head, body }: Packed<SessionReply>) => {
      if (!head.ok) return head;
      return isOf(type, head) ? read(head, body) : undefined;
    });
  };

  return {
    ...hostCommands(bus),

    /** Names a new driver. Done once nothing that began under an older epoch can touch the page. */
    take(hold: BrowserHold, { isPerson = false, isProgram, ...wait }: Wait & { isPerson?: boolean; isProgram?: true }) {
      const kind = { is_person: isPerson, ...(isProgram && { is_program: true }) };
      return send(hold, { type: 'take', epoch: hold.epoch, ...kind }, wait, ['taken', ({ cut }) => ({ cut })]);
    },

    ...programConnections(bus),

    /** The picture as it is now. */
    look: (browser: BrowserAddress, wait: Wait): Promise<HostResult<HostLook>> =>
      send(browser, { type: 'look' }, wait, [
        'seen',
        ({ picture, written, view }, image) => ({ picture, image, written, view }),
      ]),

    /** The view of the session, once its version is not `known` or this time is over. */
    view(
      browser: BrowserAddress,
      { known, waitMs, ...wait }: Wait & { known: string | null; waitMs: number },
    ): Promise<HostResult<{ view: SessionView }>> {
      return send(browser, { type: 'view', known, wait_ms: waitMs }, wait, ['view', ({ view }) => ({ view })]);
    },

    /** The outline of the page in front, from its beginning. */
    observe: (browser: BrowserAddress, wait: Wait): Promise<HostResult<{ observation: Observation }>> =>
      send(browser, { type: 'observe', as: 'outline', from: 0, bring: [] }, wait, [
        'observed',
        ({ observation }) => ({ observation }),
      ]),

    /** The page in front as one text. A host of an older release answers so that it cannot be read (`bad_reply`). */
    see(
      browser: BrowserAddress,
      { from = 0, since, withPicture = false, ...wait }: Wait & SeeOptions,
    ): Promise<HostResult<PageSeen>> {
      const bring: 'picture'[] = withPicture ? ['picture'] : [];
      const command = { type: 'observe', as: 'view', from, since, bring } as const;
      return send(browser, command, wait, ['viewed', ({ view, picture }, image) => ({ view, picture, image })]);
    },

    /** Asks for frames for this long. Repeat it while there are viewers. */
    watch(browser: BrowserAddress, { forMs, isDriven = false, isRecording = false, seen, ...wait }: WatchOptions) {
      const command = { type: 'watch', for_ms: forMs, is_driven: isDriven, is_recording: isRecording, seen } as const;
      return send(browser, command, wait, ['watching', () => ({})]);
    },

    ...personCommands(send),

    /** Puts a piece of a file where the browser can read it. */
    async putFile(
      { hostId, sessionId, epoch }: BrowserHold,
      { name, offset, bytes }: { name: string; offset: number; bytes: Uint8Array },
      wait: Wait,
    ): Promise<HostResult<{ byteLen: number }>> {
      const piece = { head: { type: 'put', epoch, name, offset } as const, body: bytes };
      const result = await bus.request(fileCommand, { host_id: hostId, session_id: sessionId }, piece, wait);
      return hostResultOf(result, ({ head }) => (head.ok ? { byteLen: head.byte_len } : head));
    },
  };
}
export type HostClient = ReturnType<typeof createHostClient>;

const isOf = <Type extends SuccessfulReply['type']>(
  type: Type,
  head: SuccessfulReply,
): head is Extract<SuccessfulReply, { type: Type }> => head.type === type;

const programConnections = (bus: Bus) => ({
  /** Opens a connection of a program. What it says, hears and, with `reports`, does, goes over the bus from then on. */
  async openProgram(
    { hostId, sessionId }: BrowserAddress,
    request: ProgramOpen,
    wait: Wait,
  ): Promise<HostResult<{ reports: boolean; judges: boolean }>> {
    const result = await bus.request(programOpen, { host_id: hostId, session_id: sessionId }, request, wait);
    return hostResultOf(result, (reply) =>
      reply.ok ? { reports: reply.reports === true, judges: reply.judges === true } : reply,
    );
  },
});

/** Commands to the host itself. */
const hostCommands = (bus: Bus) => ({
  /** What the host says of itself and of its sessions now. */
  async status(hostId: string, wait: Wait): Promise<HostResult<{ status: HostStatus | undefined }>> {
    const result = await bus.request(hostCommand, { host_id: hostId }, { type: 'status' }, wait);
    return hostResultOf(result, (reply) => (reply.ok ? { status: reply.status } : reply));
  },

  /** Opens the browser of a session under this epoch. */
  async open(
    { hostId, sessionId, epoch }: BrowserHold,
    { isPerson, ...setup }: BrowserSetup,
    wait: Wait,
  ): Promise<HostResult<object>> {
    const message = { type: 'open', session_id: sessionId, epoch, ...setup, is_person: isPerson } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, wait);
    return hostResultOf(result, (reply) => (reply.ok ? {} : reply));
  },

  /** Closes the browser. The reply carries the state to reopen it with, if the host could still save it. */
  async close(
    { hostId, sessionId, epoch }: BrowserHold,
    wait: Wait,
  ): Promise<HostResult<{ state: SavedState | undefined }>> {
    const message = { type: 'close', session_id: sessionId, epoch } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, wait);
    return hostResultOf(result, (reply) => (reply.ok ? { state: reply.state } : reply));
  },
});

/** Commands for a person who drives. */
const personCommands = (send: Send) => ({
  /** Input of a person. Inputs that were done already are not done again. `seq` is the last one that is done. */
  input: (hold: PersonHold, inputs: NumberedInput[], wait: Wait) =>
    send(hold, { type: 'input', epoch: hold.epoch, inputs, client_no: hold.clientNo }, wait, [
      'input',
      ({ seq }) => ({ seq }),
    ]),

  /** The last input of the person that the host has accepted. Input of an earlier window is refused from then on. */
  count: (hold: PersonHold, wait: Wait) =>
    send(hold, { type: 'count', epoch: hold.epoch, client_no: hold.clientNo }, wait, [
      'counted',
      ({ seq }) => ({ seq }),
    ]),
});

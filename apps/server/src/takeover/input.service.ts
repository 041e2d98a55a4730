// Input of a person who drives: mouse, keyboard, address bar, files. Every request is checked against the takeover's row.

import { setTimeout as sleep } from 'node:timers/promises';
import type { NumberedInput } from '@pilothouse/bus';
import { AppError, isId, type Pointer, type PointerAction } from '@pilothouse/contract';
import { askUntilHeard, type BrowserHold, type HostClient, isSilent, type PersonHold } from '@pilothouse/fleet';
import type { Caller, Driver, Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { noAnswer, noBrowserNow, notDriver, otherBrowser, otherWindow } from './input-errors.ts';
import { inputMs, putFiles } from './input-files.ts';
import { createInputTrace } from './input-trace.ts';
import { nowhere } from './pointer.view.ts';

/** When it is over, an agent is asked whether the browser that a person drives is gone. */
const silence = { attempts: 4, everyMs: 200 };
/** As long as a connection that broke may take to come back. */
const busBackMs = 5000;

export type InputAction = Exclude<PointerAction, { action: 'route' }>;
type Options = {
  store: Store;
  hosts: HostClient;
  /** The host of the browser that a person drives does not answer. */
  onSilent: (hold: BrowserHold) => void;
};
/** The browser that a person drives, and by which takeover. */
export type DriverHold = PersonHold & { takeoverId: string; taskId: string | null };

export function createInputService({ store, hosts, onSilent }: Options) {
  const trace = createInputTrace(store);

  async function requireDriver(caller: Caller, sessionId: string): Promise<Driver> {
    const driver = isId(sessionId) ? await store.takeovers.driver(caller, sessionId) : undefined;
    if (!driver) throw new AppError('not_found');
    return driver;
  }

  /** Throws unless the caller drives in the window that they name, names no other takeover and no other epoch, and its lease is not over. */
  async function requireHold(sessionId: string, driver: Driver, actions: InputAction[]): Promise<DriverHold> {
    const { takeoverId, taskId, epoch, clientId, clientNo, isMine, isDue, hostId } = driver;
    const isMeant = actions.every(({ takeover_id = takeoverId }) => takeover_id === takeoverId);
    if (!isMine || !isMeant || takeoverId === null || epoch === null) throw notDriver();
    if (!actions.every((action) => isOfWindow(action, clientId))) throw otherWindow();
    if (!actions.every((action) => action.epoch === undefined || action.epoch === epoch)) throw otherBrowser();
    if (isDue && !(await store.takeovers.renew(takeoverId))) throw notDriver();
    if (hostId === null) throw noBrowserNow();
    return { sessionId, takeoverId, taskId, epoch, hostId, clientNo: clientNo ?? 0 };
  }

  /** Sent again where the bus broke meanwhile: the host does each number once. What has none may be done already. */
  async function ask(hold: DriverHold, inputs: NumberedInput[]) {
    const mayRepeat = inputs.every(({ seq }) => seq > 0);
    const end = performance.now() + busBackMs;
    let wasCut = false;
    for (;;) {
      const result = await askUntilHeard(() => hosts.input(hold, inputs, { timeoutMs: inputMs }), silence);
      const isCut = result.type === 'unanswered' && result.reason === 'disconnected';
      const isAgain = isCut ? mayRepeat || !result.mayHaveActed : wasCut && isSilent(result);
      if (!isAgain || performance.now() > end) return result;
      // The host may come back later than this server.
      wasCut = true;
      await sleep(silence.everyMs);
    }
  }

  /** Returns the number of the last input that is done. */
  async function send(hold: DriverHold, inputs: NumberedInput[]): Promise<number> {
    const result = await ask(hold, inputs);
    if (isSilent(result)) onSilent(hold);
    if (result.type === 'done') return result.reply.seq;
    if (result.type === 'unanswered') throw noAnswer();
    if (result.failure === 'stale_epoch') throw notDriver();
    throw new AppError('conflict', { detail: `It was not done: ${result.message}` });
  }

  return {
    requireDriver,

    /** Does the actions in order, at once. */
    async act(caller: Caller, sessionId: string, actions: InputAction[], from: From): Promise<Pointer> {
      const hold = await requireHold(sessionId, await requireDriver(caller, sessionId), actions);
      for (const action of actions) if (action.action === 'choose_files') await putFiles(hosts, hold, action.files);
      const leaveTrace = () => trace.leave(hold, actions, { caller, from });
      const sent = send(hold, actions.map(inputOf)).catch(async (error: unknown) => {
        // Some of it may have been done, but nothing under the epoch of another driver.
        if (!(error instanceof AppError) || error.code !== 'takeover_conflict') await leaveTrace();
        throw error;
      });
      const [seq, pointer] = await Promise.all([sent, store.pointers.of(sessionId)]);
      await leaveTrace();
      return { route: pointer?.route ?? nowhere(sessionId), updated_at: new Date().toISOString(), seq };
    },
  };
}
export type InputService = ReturnType<typeof createInputService>;

/** Two windows must not count at the same time: a number that the host knows from the other one would be lost. */
const isOfWindow = ({ client_id, input_seq }: InputAction, clientId: string | null): boolean =>
  client_id === undefined ? clientId === null || input_seq === undefined : client_id === clientId;

/** An input without a number is done behind those that came before it. */
function inputOf(action: InputAction): NumberedInput {
  const { takeover_id: _, client_id: __, epoch: ___, input_seq: seq = 0, ...input } = action;
  if (input.action !== 'choose_files') return { seq, input };
  return { seq, input: { ...input, files: input.files.map(({ name }) => name) } };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, fileCommand, type NumberedInput, sessionCommand } from '@pilothouse/bus';
import {
  AppError,
  type BodyOf,
  type BrowserRoute,
  type GivenFiles,
  isId,
  type Pointer,
  type PointerAction,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Driver, PointerRow, Store } from '@pilothouse/store';
import type { From } from '../http/serve.ts';
import { createHandprints } from './handprints.ts';

type Routes = typeof routes;
type RouteSync = Extract<PointerAction, { action: 'route' }>;
type InputAction = Exclude<PointerAction, RouteSync>;
type Parts = {
  store: Store;
  bus: Bus;
  /** Nobody answers for the browser that a person drives. */
  onSilent: (sessionId: string, held: { hostId: string; epoch: number }) => Promise<void>;
};
/** Somebody who has the wheel, and where the browser is. */
type Hold = { sessionId: string; takeoverId: string; taskId: string | null; epoch: number; hostId: string };

/** A page may take its time; longer than this nobody waits, and may ask again. */
const inputMs = 20_000;
/** How often, and how far apart, a host that nobody hears is asked before its browser counts as gone. */
const silentAsks = 4;
const silentMs = 200;

/** What a front end says of itself, and what a hand does to the page. Each input is asked of the database anew. */
export function createPointerService({ store, bus, onSilent }: Parts) {
  const handprints = createHandprints(store);

  async function require(caller: Caller, id: string): Promise<Driver> {
    const driver = isId(id) ? await store.takeovers.driver(caller, id) : undefined;
    if (!driver) throw new AppError('not_found');
    return driver;
  }

  /** Throws unless the wheel is theirs, the one they mean, and its lease not over. */
  async function hold(sessionId: string, driver: Driver, named: string[]): Promise<Hold> {
    const { takeoverId, taskId, epoch, isMine, isDue, hostId } = driver;
    const isMeant = named.every((id) => id === takeoverId);
    if (!isMine || !isMeant || takeoverId === null || epoch === null) throw notTheirs();
    if (isDue && !(await store.takeovers.renew(takeoverId))) throw notTheirs();
    if (hostId === null)
      throw new AppError('conflict', { detail: 'The browser was lost, and is being opened again: try again.' });
    return { sessionId, takeoverId, taskId, epoch, hostId };
  }

  /** One that lost the bus for a moment is back before it is asked for the last time. */
  async function request({ sessionId, hostId, epoch }: Hold, inputs: NumberedInput[]) {
    const to = { host_id: hostId, session_id: sessionId };
    for (let ask = 1; ; ask += 1) {
      const result = await bus.request(sessionCommand, to, { type: 'input', epoch, inputs }, { timeoutMs: inputMs });
      if (result.ok || result.reason !== 'no_responders') return result;
      if (ask === silentAsks) {
        await onSilent(sessionId, { hostId, epoch });
        return result;
      }
      await sleep(silentMs);
    }
  }

  async function send(held: Hold, inputs: NumberedInput[]): Promise<number> {
    const result = await request(held, inputs);
    if (!result.ok) throw unheard();
    const { head } = result.reply;
    if (head.ok && head.type === 'input') return head.seq;
    if (!head.ok && head.failure === 'stale_epoch') throw notTheirs();
    throw new AppError('conflict', { detail: head.ok ? undefined : `It was not done: ${head.message}` });
  }

  /** Where the browser can read them, before the page is told their names. They are kept nowhere else. */
  async function put({ sessionId, hostId, epoch }: Hold, files: GivenFiles): Promise<void> {
    const to = { host_id: hostId, session_id: sessionId };
    for (const { name, content_base64 } of files) {
      // Of a size that goes in one piece.
      const packed = {
        head: { type: 'put', epoch, name, offset: 0 } as const,
        body: Buffer.from(content_base64, 'base64'),
      };
      const result = await bus.request(fileCommand, to, packed, { timeoutMs: inputMs });
      if (!result.ok) throw unheard();
      const { head } = result.reply;
      if (!head.ok && head.failure === 'stale_epoch') throw notTheirs();
      if (!head.ok) throw new AppError('conflict', { detail: `The file was not taken: ${head.message}` });
    }
  }

  async function act(caller: Caller, id: string, actions: InputAction[], from: From): Promise<Pointer> {
    const named = actions.flatMap(({ takeover_id }) => takeover_id ?? []);
    const held = await hold(id, await require(caller, id), named);
    for (const action of actions) if (action.action === 'choose_files') await put(held, action.files);
    const print = () => handprints.leave(held, actions, { caller, from });
    const sent = send(held, actions.map(inputOf)).catch(async (error: unknown) => {
      // Some of it may have been done. Of somebody else's wheel, nothing was.
      if (!(error instanceof AppError) || error.code !== 'takeover_conflict') await print();
      throw error;
    });
    const [seq, known] = await Promise.all([sent, store.pointers.of(id)]);
    await print();
    return { route: known?.route ?? nowhere(id), updated_at: new Date().toISOString(), seq };
  }

  /** Recorded and announced; the browser stays where it is. */
  async function sync(caller: Caller, id: string, { route }: RouteSync): Promise<Pointer> {
    if ((await require(caller, id)).isClosed) throw new AppError('conflict', { detail: 'The session is closed.' });
    const { page, frame, url, title } = route;
    const moved = await store.change(id, (tx, append) =>
      store.pointers.move(tx, append, id, { session: id, page, frame, url, title }),
    );
    return viewPointer(moved);
  }

  /** With the wheel, the page comes to the front. Without it nobody else is disturbed: the caller is told where they look. */
  async function focus(caller: Caller, id: string, action: Extract<InputAction, { action: 'focus' }>, from: From) {
    const { isMine, isClosed } = await require(caller, id);
    if (isMine || action.takeover_id !== undefined) return act(caller, id, [action], from);
    if (isClosed) throw new AppError('conflict', { detail: 'The session is closed.' });
    const known = await store.pointers.of(id);
    const route = { ...nowhere(id), page: action.page };
    return { route, updated_at: new Date().toISOString(), seq: known?.seq ?? 0 };
  }

  return {
    /** In order. What belongs to one hand goes to the browser at once. */
    async move(
      caller: Caller,
      id: string,
      { actions }: BodyOf<Routes['movePointer']>,
      from: From,
    ): Promise<ReplyOf<Routes['movePointer']>> {
      let pointer: Pointer | undefined;
      for (let begin = 0; begin < actions.length; ) {
        const first = actions[begin];
        if (first?.action === 'route') pointer = await sync(caller, id, first);
        else if (first?.action === 'focus') pointer = await focus(caller, id, first, from);
        const inputs = inputsFrom(actions.slice(begin));
        if (inputs.length > 0) pointer = await act(caller, id, inputs, from);
        begin += Math.max(1, inputs.length);
      }
      if (!pointer) throw new AppError('validation_failed');
      return { success: true, pointer };
    },
  };
}
export type PointerService = ReturnType<typeof createPointerService>;

/** Up to the next that is something else. */
function inputsFrom(actions: PointerAction[]): InputAction[] {
  const end = actions.findIndex(({ action }) => action === 'route' || action === 'focus');
  return actions.slice(0, end < 0 ? actions.length : end).flatMap((one) => (one.action === 'route' ? [] : one));
}

/** Who does not count has theirs put behind what came before. */
function inputOf({ takeover_id: _, input_seq: seq = 0, ...input }: InputAction): NumberedInput {
  if (input.action !== 'choose_files') return { seq, input };
  return { seq, input: { action: 'choose_files', files: input.files.map(({ name }) => name) } };
}

const unheard = () =>
  new AppError('conflict', {
    detail: 'The browser did not answer. Sent again with the same input_seq, nothing is done twice.',
  });
const notTheirs = () => new AppError('takeover_conflict', { detail: 'You do not have the wheel.' });
const nowhere = (session: string): BrowserRoute => ({ session, page: null, frame: null, url: null, title: null });
const viewPointer = ({ route, updated_at, seq }: PointerRow): Pointer => ({
  route,
  updated_at: updated_at.toISOString(),
  seq,
});

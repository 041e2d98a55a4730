// The pointer of a session: where a front end looks, and what a person does in the page.

import {
  AppError,
  type BodyOf,
  type Pointer,
  type PointerAction,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import type { InputAction, InputService } from './input.service.ts';
import { nowhere, viewPointer } from './pointer.view.ts';

type Routes = typeof routes;
type RouteAction = Extract<PointerAction, { action: 'route' }>;
type FocusAction = Extract<InputAction, { action: 'focus' }>;
type Options = { store: Store; input: InputService };

export function createPointerService({ store, input }: Options) {
  /** Stores and announces where the front end looks. The browser stays where it is. */
  async function setRoute(caller: Caller, id: string, { route }: RouteAction): Promise<Pointer> {
    if ((await input.requireDriver(caller, id)).isClosed) throw sessionClosed();
    const { page, frame, url, title } = route;
    const moved = await store.change(id, (tx, append) =>
      store.pointers.move(tx, append, id, { session: id, page, frame, url, title }),
    );
    return viewPointer(moved);
  }

  /** Brings the page to the front for a driver. For any other caller it changes nothing, and returns where they look. */
  async function focus(caller: Caller, id: string, action: FocusAction, from: From): Promise<Pointer> {
    const { isMine, isClosed } = await input.requireDriver(caller, id);
    if (isMine || action.takeover_id !== undefined) return input.act(caller, id, [action], from);
    if (isClosed) throw sessionClosed();
    const pointer = await store.pointers.of(id);
    const route = { ...nowhere(id), page: action.page };
    return { route, updated_at: new Date().toISOString(), seq: pointer?.seq ?? 0 };
  }

  return {
    /** In order. Consecutive inputs go to the browser in one request. */
    async move(
      caller: Caller,
      id: string,
      { actions }: BodyOf<Routes['movePointer']>,
      from: From,
    ): Promise<ReplyOf<Routes['movePointer']>> {
      let pointer: Pointer | undefined;
      for (let begin = 0; begin < actions.length; ) {
        const first = actions[begin];
        if (first?.action === 'route') pointer = await setRoute(caller, id, first);
        else if (first?.action === 'focus') pointer = await focus(caller, id, first, from);
        const inputs = leadingInputs(actions.slice(begin));
        if (inputs.length > 0) pointer = await input.act(caller, id, inputs, from);
        begin += Math.max(1, inputs.length);
      }
      if (!pointer) throw new AppError('validation_failed');
      return { success: true, pointer };
    },
  };
}
export type PointerService = ReturnType<typeof createPointerService>;

/** The inputs before the first action of another kind. */
function leadingInputs(actions: PointerAction[]): InputAction[] {
  const end = actions.findIndex(({ action }) => action === 'route' || action === 'focus');
  return actions.slice(0, end < 0 ? actions.length : end).flatMap((one) => (one.action === 'route' ? [] : one));
}

const sessionClosed = () => new AppError('conflict', { detail: 'The session is closed.' });

// The picture of a session as its host sees it now. A host that is slow is not waited for.

import type { Picture as HostPicture, SessionView } from '@pilothouse/bus';
import type { BrowserHold, HostClient } from '@pilothouse/fleet';
import { newId, type ReadSession, type Store } from '@pilothouse/store';
import { type Bytes, bytesOf } from '../http/embedded.ts';
import { type SeenView, viewFor } from '../live/session-view.ts';
import { maySee, type Picture, privacyOf, withhold } from '../live/withheld.ts';

type Options = { store: Pick<Store, 'browsers'>; hosts: HostClient };
type Look = { picture: HostPicture; image: Bytes; at: string; view: SessionView | undefined };
/** `beside`: what the viewer may know beside the picture, if the host says it. */
export type LivePicture = { picture: Picture<Bytes>; beside: SeenView | undefined };
type ForViewer = { session: ReadSession; seq: number; userId: string | undefined };

/** Long enough for a live host. */
const lookMs = 400;

export function createLivePicture({ store, hosts }: Options) {
  const looks = new Map<string, Promise<Look | undefined>>();

  async function askHost(browser: BrowserHold): Promise<Look | undefined> {
    const result = await hosts.look(browser, { timeoutMs: lookMs });
    if (result.type !== 'done') return undefined;
    const { picture, image, view } = result.reply;
    return { picture, image: bytesOf(image), at: new Date().toISOString(), view };
  }
  /** Callers that ask at the same time get the same picture, because it is large. */
  function look(browser: BrowserHold): Promise<Look | undefined> {
    const key = `${browser.sessionId} ${browser.hostId} ${browser.epoch}`;
    const pending = looks.get(key) ?? askHost(browser).finally(() => looks.delete(key));
    looks.set(key, pending);
    return pending;
  }

  /** Undefined if no host holds the browser, or if it did not answer. */
  return async ({ session, seq, userId }: ForViewer): Promise<LivePicture | undefined> => {
    const browser = await store.browsers.of(session.id);
    if (!browser?.is_live || !browser.host_id) return undefined;
    const seen = await look({ hostId: browser.host_id, sessionId: session.id, epoch: browser.epoch });
    if (!seen) return undefined;
    const { picture, image, at } = seen;
    // A host of another release may not say under which epoch it looked.
    const isDriven = browser.driver !== null && [0, browser.driver.epoch].includes(picture.epoch);
    const view = {
      frame_id: newId(),
      session_id: session.id,
      task_id: session.last_task_id,
      seq,
      recorded_at: at,
      content_type: picture.content_type,
      width: picture.width,
      height: picture.height,
      device_scale: picture.device_scale,
      route: picture.route,
      ...privacyOf(picture, isDriven),
      focuses_secret_field: picture.focuses_secret_field,
    };
    const viewer = { userId, isOwner: session.owner_id === userId };
    const beside = seen.view && viewFor(seen.view, { sessionId: session.id, driver: browser.driver, viewer });
    const isSeen = maySee(view, picture.epoch, browser.driver, viewer);
    return { picture: isSeen ? { view, image } : withhold({ view, image }), beside };
  };
}

// Writes one frame of a recorded session: the bytes first, then its row. The bytes of a private frame are never written.

import type { Frame } from '@pilothouse/bus';
import type { BrowserRoute } from '@pilothouse/contract';
import { blobsOf, newId, type Store, storableJson } from '@pilothouse/store';

export const createFrameWriter = ({ store, agentId }: { store: Store; agentId: string }) =>
  /** False where another host or agent has the session, or its recording is over. */
  async function write(sessionId: string, hostId: string, { header, image }: Frame): Promise<boolean> {
    const { content_type, width, height, device_scale, page, url, title } = header;
    const frameId = newId();
    // No viewer may see a private frame, so its bytes are not stored.
    const blobKey = header.private ? null : `${blobsOf(sessionId)}/${frameId}.jpeg`;
    // Before the row: bytes without a row do no harm, a row without bytes would.
    if (blobKey) await store.blobs.put(blobKey, image);
    // An address or title may hold what the person typed.
    const location = header.private ? { url: null, title: null } : { url, title };
    const route: BrowserRoute = { session: sessionId, page, frame: null, ...location };
    const row = {
      session_id: sessionId,
      frame_id: frameId,
      content_type,
      width,
      height,
      device_scale,
      // Pages choose the title.
      route: JSON.stringify(storableJson(route)),
      private: header.private,
      blob_key: blobKey,
      byte_len: blobKey ? image.length : 0,
    };
    const by = { hostId, epoch: header.epoch, agentId };
    const isKept = await store.change(sessionId, (tx) => store.frames.putWatched(tx, row, by));
    if (!isKept && blobKey) await store.blobs.removeAll(blobKey);
    return isKept;
  };

// Puts pictures into a bundle: each once, before the first record that names it. Never one that recordings withhold.

import { type EvidencePicture, ImageType } from '@pilothouse/contract';
import { type NewRecord, sha256 } from '@pilothouse/evidence';
import type { Store } from '@pilothouse/store';
import type { Draft, StoredPicture } from './drafts.ts';

/** As many as one page of observations carries. */
const maxPictureBytes = 4 * 1024 * 1024;

type Blobs = Pick<Store['blobs'], 'sizeOf' | 'get'>;
type LeftOut = Extract<EvidencePicture, { left_out: string }>['left_out'];
/** How a record names it, and the record of the picture itself if the bundle has none yet. */
type Placed = { named: EvidencePicture | null; record?: NewRecord };

/** The records of the drafts, with pictures between them. One picture is in memory at a time. */
export async function* withPictures(drafts: AsyncIterable<Draft>, blobs: Blobs): AsyncGenerator<NewRecord> {
  const place = createPlacing(blobs);
  for await (const { kind, at, body, pictures } of drafts) {
    const names: Record<string, EvidencePicture | null> = {};
    for (const [name, picture] of Object.entries<StoredPicture | null>(pictures ?? {})) {
      const { named, record } = picture ? await place(picture) : { named: null };
      if (record) yield record;
      names[name] = named;
    }
    yield { kind, at: at.toISOString(), body: pictures ? { ...body, pictures: names } : body };
  }
}

function createPlacing(blobs: Blobs) {
  /** Hashes by keys of blobs: most pictures are named twice, and read once. */
  const known = new Map<string, string>();
  const written = new Set<string>();

  return async ({ blobKey, contentType, recordedAt, isPrivate }: StoredPicture): Promise<Placed> => {
    const recorded_at = recordedAt.toISOString();
    const type = ImageType.safeParse(contentType);
    if (!type.success) return { named: null };
    if (isPrivate || blobKey === null) return { named: { left_out: isPrivate ? 'private' : 'removed', recorded_at } };
    const nameBy = (hash: string) => ({ sha256: hash, content_type: type.data, recorded_at });
    const earlier = known.get(blobKey);
    if (earlier !== undefined) return { named: nameBy(earlier) };
    const bytes = await read(blobs, blobKey);
    if (typeof bytes === 'string') return { named: { left_out: bytes, recorded_at } };
    const hash = sha256(bytes);
    known.set(blobKey, hash);
    const named = nameBy(hash);
    if (written.has(hash)) return { named };
    written.add(hash);
    const body = { sha256: hash, type: type.data, base64: Buffer.from(bytes).toString('base64') };
    return { named, record: { kind: 'picture', at: recorded_at, body } };
  };
}

/** The size first: what is too large is not read. */
async function read(blobs: Blobs, key: string): Promise<Uint8Array | LeftOut> {
  const size = await blobs.sizeOf(key);
  if (size === undefined) return 'removed';
  return size > maxPictureBytes ? 'too_large' : ((await blobs.get(key)) ?? 'removed');
}

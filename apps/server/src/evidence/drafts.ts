// Records before they are in a bundle: what a kind of record gives, and what it is made from.

import type { EvidenceBody, EvidenceKind } from '@pilothouse/contract';
import type { Store, TaskRow } from '@pilothouse/store';

/** A picture as it is stored; whether it may be shown is decided where it is put into the bundle. */
export type StoredPicture = {
  blobKey: string | null;
  contentType: string | null;
  recordedAt: Date;
  isPrivate: boolean;
};

type Bodies = { [Kind in EvidenceKind]: EvidenceBody<Kind> };
type WithoutPictures<Body> = Omit<Body, 'pictures'>;
/** The pictures that the body names, by the names that the contract has for them. */
type PicturesOf<Body> = Body extends { pictures: infer Named }
  ? { [Name in keyof Named]: StoredPicture | null }
  : undefined;

/** One record: `pictures` are put before it, and into its body by their hashes. */
export type Draft = {
  [Kind in EvidenceKind]: { kind: Kind; at: Date; body: WithoutPictures<Bodies[Kind]> } & (PicturesOf<
    Bodies[Kind]
  > extends undefined
    ? { pictures?: undefined }
    : { pictures: PicturesOf<Bodies[Kind]> });
}[Exclude<EvidenceKind, 'picture'>];

export type Source = {
  store: Store;
  /** As it was when the bundle was begun. */
  task: TaskRow;
  madeAt: Date;
  /** Users with their names. */
  peopleOf(ids: readonly string[]): Promise<(id: string) => { id: string; name: string | null }>;
};

/** Gives the records of one kind, oldest first, a page at a time. */
export type RecordKind = (source: Source) => AsyncIterable<Draft>;

/** How many rows are read at a time. */
export const pageRows = 50;

/** Reads page after page until one is not full. */
export async function* inPages<Row>(read: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let rows = await read(undefined); rows.length > 0; ) {
    yield rows;
    rows = rows.length < pageRows ? [] : await read(rows.at(-1));
  }
}

// The S3 servers that tests of blobs run on: the same cases on each.

import { startRadosgw, withoutRadosgw } from './radosgw.ts';
import { type S3ForTest, startS3, withoutS3 } from './s3.ts';

export type S3Server = {
  name: string;
  /** Why it cannot run here; false if it can. */
  skip: string | false;
  start(): Promise<S3ForTest>;
  /** It refuses every request that its user has not signed. */
  startGuarded(): Promise<S3ForTest>;
  /** Whether it gives the right bytes for every part of an object that it is asked for, and not only for some. */
  areRangesRight: boolean;
  /** Whether an object that is replaced meanwhile is read as it was or as it is, and never half and half. */
  replacesWhole: boolean;
  /** Whether it compares a body with the digest that was signed. */
  checksBodies: boolean;
};

export const s3Servers: S3Server[] = [
  {
    name: 'moto',
    skip: withoutS3(),
    start: () => startS3(),
    startGuarded: () => startS3({ isGuarded: true }),
    areRangesRight: true,
    replacesWhole: true,
    checksBodies: false,
  },
  {
    name: 'radosgw',
    skip: withoutRadosgw(),
    start: startRadosgw,
    startGuarded: startRadosgw,
    areRangesRight: false,
    replacesWhole: false,
    checksBodies: true,
  },
];

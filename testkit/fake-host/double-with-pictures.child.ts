import { runDouble } from './double.ts';

/** About what a page of text weighs. */
runDouble({ pictureBytes: 30_000 });

import { runDouble } from './double.ts';

/** As often as a host acknowledges frames of a page that changes. */
runDouble({ frameEveryMs: 100 });

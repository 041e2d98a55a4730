// The set: which kinds there are, and the script that a seed and a number make of them.
import { createRandom } from '../random.ts';
import type { Sites, Visitor } from '../sites/sites.ts';
import { broughtKinds, fileKinds } from './files.kinds.ts';
import { formsKinds } from './forms.kinds.ts';
import { loginKinds } from './login.kinds.ts';
import { mailKinds } from './mail.kinds.ts';
import { type Kind, makingOf, type Script } from './script.ts';
import { shopKinds } from './shop.kinds.ts';
import { slowKinds } from './slow.kinds.ts';
import { tablesKinds } from './tables.kinds.ts';
import { windowKinds } from './windows.kinds.ts';

const always: Record<string, Kind> = {
  ...shopKinds,
  ...mailKinds,
  ...formsKinds,
  ...tablesKinds,
  ...loginKinds,
  ...fileKinds,
  ...windowKinds,
  ...slowKinds,
};

/** What a runner of the scripts is able to do. */
export type Able = { canPutFiles: boolean };

export const kindsFor = ({ canPutFiles }: Able): [name: string, kind: Kind][] =>
  Object.entries(canPutFiles ? { ...always, ...broughtKinds } : always);

/** `kind` says what it is about; `visitor` is the one whose sites it goes to. */
export type SeededScript = { kind: string; index: number; name: string; visitor: Visitor; script: Script };

/** The script of this number. The same seed makes the same one, whatever else is made. */
export function makeScript(sites: Sites, able: Able, seed: number, index: number): SeededScript {
  const kinds = kindsFor(able);
  const [kind, make] = kinds[index % kinds.length] ?? [];
  if (!kind || !make) throw new Error('there are no kinds');
  const own = Math.imul(seed, 1_000_003) + index;
  const name = `s${seed}-${index}`;
  const visitor = sites.visitor(name, own);
  return { kind, index, name, visitor, script: make(makingOf(visitor, createRandom(own ^ 0x5bd1e995))) };
}

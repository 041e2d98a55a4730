// Types a secret where its origins allow it, and nowhere else. Never reads the field back, and says nothing of the value.

import type { TypedSecret } from '@pilothouse/bus';
import { type SecretRef, secretRefOf, type Target } from '@pilothouse/contract';
import { StepFailure } from '../common/failure.ts';
import type { FoundElement } from '../dom/element.ts';
import { type SecretTyped, typeSecret as typeInPage } from '../dom/injected/type-secret.ts';
import type { ActionTools } from './action-tools.ts';

/** The secret that a text to be typed names, and the value that came with the command for it. */
export function secretFor(text: string, secret: TypedSecret | undefined): TypedSecret | undefined {
  const ref: SecretRef | undefined = secretRefOf(text);
  if (!ref) return undefined;
  if (secret?.name !== ref.name) throw new StepFailure('unsupported', `no value came with the secret ${ref.name}`);
  return secret;
}

export async function typeSecret(tools: ActionTools, target: Target, secret: TypedSecret): Promise<void> {
  const { touch } = tools;
  const field = await tools.reach(target, 'fill', { isTouch: false });
  const { value, origins } = secret;
  // Before anything is touched, and before the value is sent to the process of the page.
  await checkOrigins(secret, field, tools);
  const typed = await touch((firm) => field.call(typeInPage, [{ value, origins }], firm));
  if (typed !== 'done') throw failureFor(typed, secret, field);
}

/** The document of the field and every document around it has to be of one of the origins. */
async function checkOrigins(secret: TypedSecret, field: FoundElement, { deadline }: ActionTools): Promise<void> {
  const places = secret.origins.includes(field.origin) ? await field.call(placesOf, [], deadline) : [field.origin];
  const wrong = places.find((place) => !secret.origins.includes(place));
  if (wrong !== undefined) throw wrongOrigin(secret, wrong);
}

const wrongOrigin = ({ name, origins }: TypedSecret, found: string) =>
  new StepFailure(
    'wrong_origin',
    `the secret ${name} is only for ${origins.join(' and ')}, and the field is in ${found === 'null' ? 'a page without an origin' : found}; nothing was typed`,
  );

function failureFor(typed: Exclude<SecretTyped, 'done'>, secret: TypedSecret, field: FoundElement): StepFailure {
  switch (typed) {
    case 'wrong_origin':
      return wrongOrigin(secret, field.origin);
    case 'fixed':
      return new StepFailure('unsupported', 'no secret can be typed there');
    case 'uncovered':
      return new StepFailure('unsupported', 'the field cannot be covered; nothing was typed');
    case 'focus_taken':
      return new StepFailure('focus_taken', 'something else took the focus from the field; nothing was typed');
    case 'other_value':
      return new StepFailure('wrong_value', 'the field does not hold the secret as it is');
  }
}

/** Runs in the page. The origins of this document and of those around it; what has no address of its own has none. */
function placesOf(): string[] {
  const isWeb = location.protocol === 'https:' || location.protocol === 'http:';
  return [isWeb && self.origin === location.origin ? location.origin : 'null', ...location.ancestorOrigins];
}

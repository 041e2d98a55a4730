import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import { type OpenedSession, openSessionOnHost } from '../../testing/open-session.ts';
import { startSite } from '../../testing/site.ts';
import { StepFailure } from '../common/failure.ts';
import { bestOf, offered } from './best-option.ts';

describe('choosing', () => {
  let site: Awaited<ReturnType<typeof startSite>>;
  let opened: OpenedSession;
  let session: OpenedSession['session'];
  before(async () => {
    site = await startSite();
    opened = await openSessionOnHost();
    session = opened.session;
  });
  after(async () => {
    await opened?.close();
    await site?.close();
  });

  const show = () => session.act({ action: 'navigate', url: `${site.url}/suggestions` });
  const choose = (option: string, target: string): Step => ({ action: 'select', target, option });

  // What is chosen in which field, and the title that the page has after it.
  const chosen: [option: string, target: string, title: string][] = [
    ['Dinghy', 'Boat', 'boat Dinghy'],
    ['(small)', 'Boat', 'boat Motor yacht (small)'],
    ['Arrived', 'Late', 'late arrived'],
    ['Norway', 'Land', 'land NO'],
    ['port', 'Land', 'land PT'],
    ['Berlin', 'City', 'city Berlin'],
    ['bern', 'City', 'city Bern'],
    ['bernau', 'City', 'city Bernau bei Berlin'],
    ['Brest', 'Port', 'port Brest'],
    ['Aar', 'Port', 'port Aarhus'],
    ['Elm Street 3, Bern', 'Street', 'street Elm Street 3, Bern'],
    ['Oak', 'Where?', 'street Oak Lane'],
    ['red', 'Tags', 'tags red'],
  ];
  for (const [option, target, title] of chosen) {
    it(`takes ${option} in ${target}`, async () => {
      await show();
      const { acted } = await session.act(choose(option, target));
      assert.equal(acted.after.title, title);
    });
  }

  const refused: [option: string, target: string, failure: string, says: RegExp][] = [
    ['Barge', 'Boat', 'ambiguous', /^2 options fit equally well: "Barge", "Barge"$/],
    ['Motor', 'Boat', 'ambiguous', /^2 options fit equally well: "Motor yacht \(large\)", "Motor yacht \(small\)"$/],
    ['Raft', 'Boat', 'not_found', /^the list has no such option; there are "Choose…", "Dinghy", /],
    ['Ber', 'City', 'ambiguous', /^4 options fit equally well: "Bergen", "Berlin", "Bern", "Bernau bei Berlin"$/],
    ['Atlantis', 'City', 'not_found', /^nothing to choose from came$/],
    [
      'Elm Street 3',
      'Street',
      'ambiguous',
      /^2 options fit equally well: "Elm Street 3, Bergen", "Elm Street 3, Bern"$/,
    ],
    ['Berlin is', 'City', 'not_found', /^nothing to choose from came$/],
    ['Anything', 'Free', 'not_found', /^nothing to choose from came$/],
  ];
  for (const [option, target, failure, says] of refused) {
    it(`refuses ${option} in ${target}`, async () => {
      await show();
      const reply = await session.refusalOf(choose(option, target));
      assert.equal(reply.failure, failure, reply.message);
      assert.match(reply.message, says);
      const { acted } = await session.act({ action: 'screenshot' });
      assert.equal(acted.after.title, 'Suggestions', 'nothing was chosen, and no form was sent');
    });
  }
});

it('the best option is the closest, and never one of several', () => {
  const texts = ['Berlin Mitte', 'berlin', 'Berlin', 'East Berlin'];
  assert.equal(bestOf(texts, ' Berlin ', { isLoose: false }), 2);
  assert.equal(bestOf(texts, 'BERLIN MITTE', { isLoose: false }), 0);
  assert.equal(bestOf(texts, 'east', { isLoose: false }), undefined);
  assert.equal(bestOf(texts, 'east', { isLoose: true }), 3);
  assert.equal(bestOf(texts, 'mitte', { isLoose: true }), 0);
  assert.equal(bestOf(texts, '', { isLoose: true }), undefined);
  assert.throws(() => bestOf(texts, 'BERLIN', { isLoose: true }), StepFailure);
  assert.equal(offered([]), 'it is empty');
  assert.match(offered(Array.from({ length: 10 }, (_, index) => `${index} ${'x'.repeat(60)}`)), /x…", .* and 2 more$/);
});

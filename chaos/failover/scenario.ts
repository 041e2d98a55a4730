// The failover at the size of the options.

import { withStack } from '../../testkit/stack/with-services.ts';
import { given, newSeed, privateName, values } from '../options.ts';
import { failOver, isFailoverGood } from './failover.ts';

export const failOverByOptions = () =>
  withStack(privateName, async (stack) => {
    // Other scenarios have more rounds in a full run.
    const rounds = Number(given.rounds ?? (values.small ? 1 : 10));
    const replication = values.part?.includes('asynchronous') ? 'asynchronous' : 'synchronous';
    const figures = await failOver({ stack, seed: newSeed(), rounds, replication });
    return { isGood: isFailoverGood(figures), figures };
  });

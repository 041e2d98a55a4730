// The nodes of NATS at the size of the options.

import { withStack } from '../../testkit/stack/with-services.ts';
import { newSeed, privateName, values } from '../options.ts';
import { isClusterGood, killNodes } from './nats-cluster.ts';

export const killNodesByOptions = () =>
  withStack(privateName, async (stack) => {
    const kills = Number(values.kills ?? (values.small ? 3 : 50));
    const size = values.small ? ({ hands: 'double', each: 1 } as const) : ({ hands: 'chromium' } as const);
    const figures = await killNodes({ stack, seed: newSeed(), kills, ...size });
    return { isGood: isClusterGood(figures), figures };
  });

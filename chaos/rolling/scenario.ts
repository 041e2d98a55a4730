// The rolling restart at the size of the options.

import { type ProxyName, proxyNames } from '../../testkit/proxies/proxies.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { privateName, values } from '../options.ts';
import { isRollingGood, restartInTurn } from './rolling.ts';

const isProxyName = (name: string): name is ProxyName => proxyNames.some((one) => one === name);

export function restartInTurnByOptions() {
  const proxies = (values.proxy ?? proxyNames).map((name) => {
    if (!isProxyName(name)) throw new Error(`not a proxy: ${name} (${proxyNames.join(', ')})`);
    return name;
  });
  return withStack(privateName, async (stack) => {
    const figures = await restartInTurn({ stack, rounds: Number(values.rounds), proxies });
    return { isGood: isRollingGood(figures, proxies), figures };
  });
}

import { createClient } from '@pilothouse/sdk';
import { startShop } from '@pilothouse/stack';
import { freePort } from './stack/ports.ts';
import { createStackOfProcess } from './stack/stack-of-process.ts';

type Size = {
  servers?: number;
  agents?: number;
  browsers?: number;
  /** True unless said otherwise. */
  disableAuth?: boolean;
  sites?: string[];
  programs?: Record<string, string>;
  /** Of every server and every agent. */
  settings?: Record<string, string>;
};

/** A whole installation and a shop to visit, for one file of tests. */
export async function openInstallation(name: string, size: Size = {}) {
  const stack = createStackOfProcess(`e2e-${name}-${process.pid}`);
  const shop = await startShop();
  const port = await freePort();
  const close = async () => {
    await shop.close();
    await stack.down({ wipe: true });
  };
  try {
    await stack.up({
      port,
      servers: size.servers ?? 1,
      agents: size.agents ?? 1,
      browsers: size.browsers ?? 1,
      disableAuth: size.disableAuth ?? true,
      sites: [shop.url, ...(size.sites ?? [])],
      programs: size.programs,
      settings: { server: size.settings ?? {}, agent: size.settings ?? {} },
    });
  } catch (error) {
    await close();
    throw error;
  }
  const baseUrl = `http://127.0.0.1:${port}`;
  return { stack, shop, baseUrl, client: createClient({ baseUrl }), close };
}
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

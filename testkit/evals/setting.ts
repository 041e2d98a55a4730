// What evals run in: the sites, a scripted model behind all four wires, and an installation that has it as its models.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInstallation } from '../installation.ts';
import type { Mind, MindRequest, WireName } from '../models/mind.ts';
import { pricesOf } from '../models/prices.ts';
import { startModelServer } from '../models/server.ts';
import { startSites } from '../sites/sites.ts';

/** The model of each wire, by its name in requests. */
export const modelNames: Record<WireName, string> = {
  chat: 'local',
  responses: 'openai/gpt-eval',
  anthropic: 'anthropic/claude-eval',
  google: 'google/gemini-3-eval',
};

export type Setting = Awaited<ReturnType<typeof openSetting>>;

export async function openSetting(name: string) {
  const minds = new Map<string, Mind>();
  const sites = await startSites();
  const model = await startModelServer((request) => {
    const mind = minds.get(tokenOf(request) ?? '');
    return mind ? mind(request) : { fault: 'status', status: 400, message: 'No task has this token.' };
  });
  const { chat, responses, anthropic, google } = model.addresses;
  const [, ...vendors] = Object.values(modelNames);
  // A stack takes keys by files only.
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-eval-'));
  const key = join(folder, 'key');
  await writeFile(key, 'no-secret-of-an-eval');
  const settings: Record<string, string> = {
    MODELS: [`local=${chat}#eval`, ...vendors].join(','),
    MODEL_PRICES: pricesOf(Object.values(modelNames)),
    OPENAI_BASE_URL: responses,
    OPENAI_API_KEY_FILE: key,
    ANTHROPIC_BASE_URL: anthropic,
    ANTHROPIC_API_KEY_FILE: key,
    GOOGLE_BASE_URL: google,
    GOOGLE_API_KEY_FILE: key,
  };
  const before = Object.keys(settings).map((setting) => [setting, process.env[setting]] as const);
  const close = async () => {
    await model.close();
    await sites.close();
    await rm(folder, { recursive: true });
  };
  try {
    // A stack takes the settings of models from the environment.
    Object.assign(process.env, settings);
    const installation = await openInstallation(name, { sites: [sites.url] });
    return {
      installation,
      sites,
      model,
      minds,
      close: async () => {
        await installation.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  } finally {
    for (const [setting, value] of before)
      if (value === undefined) delete process.env[setting];
      else process.env[setting] = value;
  }
}

/** The words that tell the model server whose task it is. */
export const withToken = (prompt: string, token: string): string => `${prompt}\n(reference ${token})`;

export const tokenOf = ({ messages }: MindRequest): string | undefined =>
  /\(reference ([\w-]+)\)/.exec(messages[0]?.text ?? '')?.[1];

// npm run images -- seccomp DEFAULT.json: writes the profile of browser hosts from the one of an engine
// (profiles/seccomp/default.json in its sources).
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Profile, withSandboxCalls } from './profile.ts';

export const profilePath = join(import.meta.dirname, 'browser.json');

export async function readProfile(path: string): Promise<Profile> {
  return JSON.parse(await readFile(path, 'utf8'));
}

export async function writeProfile(from: string): Promise<void> {
  await writeFile(profilePath, `${JSON.stringify(withSandboxCalls(await readProfile(from)), null, 2)}\n`);
}

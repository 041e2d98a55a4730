// Which test file runs beside which others.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import { slowestFirst } from './run-tests.ts';

/** As many as the smallest machine has processors: with more, pages answer too late for what tests ask of them. */
export const lanes = 2;

/** These measure rates, ratios and times: each runs alone. */
const isAlone =
  /^scripts\/stack\.test|^bench\/bounded\.test|^apps\/browser\/src\/live\/screencast\.test|^apps\/agent\/src\/host-events\/recorder\.test|^e2e\/console-tabs\.test/;
/**
 * These have a browser, a stack, or a page that answers in time. All others wait for rows and sockets at most: they run in what the
 * processors have left beside these.
 */
const isHeavy =
  /^(apps\/browser|bench|chaos)\/|^deploy\/(observe|systemd|proxies)|^scripts\/(bus|check|demo|dev|packages|process-commands)\.test|^apps\/server\/src\/(http\/reference-page|mcp\/guide)|^apps\/cli\/src\/commands\/here/;

/** Builds the images and runs an installation of them: minutes in which much of the processors rests. Only root can. */
const isImages = /^e2e\/images\.test/;

/** A person's clicks and keys: where more runs beside them, even what yields, they come later than tests wait. */
const isJourney = /^e2e\//;

const foldersOfTests = ['packages', 'apps', 'scripts', 'testkit', 'chaos', 'bench', 'deploy'];
/** The whole journey: real processes and a real browser, parts being killed meanwhile. */
const foldersOfJourney = ['e2e'];

export type TestFiles = { images: string[]; alone: string[]; heavy: string[]; journey: string[]; light: string[] };

const filesIn = (folders: string[]) =>
  inKinds(
    globSync(
      folders.map((folder) => `${folder}/**/*.test.ts`),
      { cwd: root, exclude: ['**/node_modules/**'] },
    ),
  );

/** `isWhole`: with the journey and the images. */
export const testFiles = ({ isWhole }: { isWhole: boolean }): TestFiles =>
  filesIn([...foldersOfTests, ...(isWhole ? foldersOfJourney : [])]);
export const journeyFiles = (): TestFiles => filesIn(foldersOfJourney);

/** Each kind with its slowest first. */
export function inKinds(files: string[]): TestFiles {
  const kindOf = (file: string): keyof TestFiles => {
    if (isImages.test(file)) return 'images';
    if (isAlone.test(file)) return 'alone';
    if (isJourney.test(file)) return 'journey';
    return isHeavy.test(file) ? 'heavy' : 'light';
  };
  const { images = [], alone = [], heavy = [], journey = [], light = [] } = Object.groupBy(files, kindOf);
  return {
    images,
    alone: slowestFirst(alone),
    heavy: slowestFirst(heavy),
    journey: slowestFirst(journey),
    light: slowestFirst(light),
  };
}

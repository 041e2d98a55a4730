import { browserBenches, testSmallRuns } from './small-runs.ts';

testSmallRuns(browserBenches);

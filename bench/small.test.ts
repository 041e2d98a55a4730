import { otherBenches, testSmallRuns } from './small-runs.ts';

testSmallRuns(otherBenches);

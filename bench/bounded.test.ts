import { boundedBenches, testSmallRuns } from './small-runs.ts';

testSmallRuns(boundedBenches);

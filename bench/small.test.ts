import { benchNames } from './benches.ts';
import { boundedBenches, testSmallRuns } from './small-runs.ts';

testSmallRuns(benchNames.filter((name) => !boundedBenches.includes(name)));

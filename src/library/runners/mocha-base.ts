/** The program that sets the base chain of a run of Mocha up, by the module that is its argument. */

import { setUp } from './run.ts';
import { announcedFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

const { url, root } = announcedFacts(process.env);
await setUp(process.argv[2] ?? '', laneAt(url, null), { root });

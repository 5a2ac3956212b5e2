/** A sixth of the scenarios; `replays.full.test.ts` has the others. */
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually('some');

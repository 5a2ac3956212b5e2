/** Replays to the last step a third of the scenarios; `npm test` has some of them, and `replays.full.test.ts` the others. */
import './some-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually(() => {});

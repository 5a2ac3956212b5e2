/** Replays to the last step every scenario that `npm test` and `.ci/run` only play. */
import './rest-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually(() => {});

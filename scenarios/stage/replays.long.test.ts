/** Every scenario that `npm test` only plays, replayed to the last step and the last digit of a context. */
import '../invariants/charts/rest-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually(() => {});

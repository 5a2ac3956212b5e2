/** Every scenario that `npm test` only plays, replayed to the last step. */
import './rest-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually(() => {});

/** A sixth of the scenarios; `replays.full.test.ts` has the others. */
import './some-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually();

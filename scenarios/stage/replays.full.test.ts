/** Every scenario that `.ci/run` only plays. */
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually('rest');

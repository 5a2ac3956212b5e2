/** Replays to the last step every scenario that `.ci/run` only plays. */
import './rest-only.ts';
import '../stories/all.scenario.ts';
import { testVirtually } from './plan/suite.ts';

testVirtually();

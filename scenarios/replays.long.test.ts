/** Every scenario in virtual time once more, and each replayed to the last step and the last digit of a context. */
import './each-replayed.ts';
import './all.scenario.ts';
import { testVirtually } from './dsl/suite.ts';

testVirtually(() => {});

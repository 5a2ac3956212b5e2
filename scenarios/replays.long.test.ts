/** Every scenario that `npm test` only plays, replayed to the last step and the last digit of a context. */
import './the-rest.ts';
import './all.scenario.ts';
import { testVirtually } from './dsl/suite.ts';

testVirtually(() => {});

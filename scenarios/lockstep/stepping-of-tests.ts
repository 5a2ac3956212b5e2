import { steppingOf, type Stepping } from '../../actors/runtime/stepper/stepper.ts';
import { lockstep } from './lockstep.ts';

const name = process.env['A2C_STEPPER'];
/** Returns the stepper of machines in tests: `A2C_STEPPER=lockstep` compares every step with XState's interpreter. */
export const steppingOfTests = (): Stepping => (name === 'lockstep' ? lockstep : steppingOf(name));

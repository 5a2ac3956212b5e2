import { compiled, type Stepping } from '../../actors/runtime/stepper/stepper.ts';
import { lockstep } from './lockstep.ts';

/** `A2C_STEPPER=lockstep` compares every step with XState's interpreter. */
export const steppingOfTests = (): Stepping =>
  process.env['A2C_STEPPER'] === 'lockstep' ? lockstep : compiled;

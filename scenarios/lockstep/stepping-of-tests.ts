import { steppingOf, type Stepping } from '../../actors/runtime/stepper/stepper.ts';
import { lockstep } from './lockstep.ts';

const name = process.env['A2C_STEPPER'];
/** How the machines of a stage step: `A2C_STEPPER=lockstep` holds every step against XState's interpreter. */
export const steppingOfTests = (): Stepping => (name === 'lockstep' ? lockstep : steppingOf(name));

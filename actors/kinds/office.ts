import { officeMachine } from '../../machines/office/office.machine.ts';
import { seatMachine } from '../../machines/office/seat.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const officeKinds: Kinds = { office: officeMachine, seat: seatMachine };

import { computerMachine } from '../../machines/computer/computer.machine.ts';
import { aggregatorMachine } from '../../machines/resources/aggregator.machine.ts';
import { questionMachine } from '../../machines/resources/question.machine.ts';
import { readMachine } from '../../machines/resources/read.machine.ts';
import { serverCacheMachine } from '../../machines/resources/server-cache.machine.ts';
import { offerMachine } from '../../machines/skills/offer.machine.ts';
import { skillsMachine } from '../../machines/skills/skills.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const computerKinds: Kinds = {
  cache: serverCacheMachine,
  computer: computerMachine,
  desktop: aggregatorMachine,
  finder: aggregatorMachine,
  offer: offerMachine,
  question: questionMachine,
  read: readMachine,
  skills: skillsMachine,
};

import type { Cases } from '../judge.ts';
import { calls } from './calls.ts';
import { http } from './http.ts';
import { lists } from './lists.ts';
import { processes } from './processes.ts';

export const cases: Cases = { ...processes, ...calls, ...lists, ...http };

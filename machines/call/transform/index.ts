/** The pure part of what becomes of a result by the program of its server. */
export { eventOf, type TransformRequest } from './event.ts';
export { endText, syntaxFailure, type Diagnostic, type ProgramMistake } from './mistakes.ts';

export { asJson, asLine, asText, unfitName } from './escapes.ts';
export { nearest } from './nearest.ts';

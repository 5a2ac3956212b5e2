export { asJson, asLine, asText } from './escapes.ts';
export { nearest } from './nearest.ts';

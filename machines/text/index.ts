export { asJson, asLine, asText } from './escapes.ts';

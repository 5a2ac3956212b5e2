export { validate, validateAsk } from './validate.ts';

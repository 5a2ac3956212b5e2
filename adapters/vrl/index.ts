export { transformAsk } from './ask.ts';
export { createTransformer, type TransformerOptions } from './transformer.ts';

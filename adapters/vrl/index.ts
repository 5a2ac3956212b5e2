export { transformAsk } from './ask.ts';
export { openWorker } from './thread.ts';
export { createTransformer, type TransformerOptions } from './transformer.ts';

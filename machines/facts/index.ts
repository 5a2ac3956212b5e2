export { fact, factLine, readFact, type Fact } from './facts.ts';

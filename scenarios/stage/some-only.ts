import { thoroughness } from './thoroughness.ts';

thoroughness.part = 'some';

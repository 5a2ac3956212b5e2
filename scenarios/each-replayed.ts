import { thoroughness } from './thoroughness.ts';

thoroughness.replaysEveryNth = 1;

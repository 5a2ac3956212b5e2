import { thoroughness } from '../../stage/thoroughness.ts';

thoroughness.part = 'rest';

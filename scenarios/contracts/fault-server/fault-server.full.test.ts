import { testFaultServer } from './fault-server-rules.ts';

testFaultServer('rest');

import { testFaultServer } from './fault-server-laws.ts';

testFaultServer('rest');

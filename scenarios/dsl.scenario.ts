/** Every file with scenarios as data: whoever wants all of them loads this one. */
import './calls.scenario.ts';
import './clients.scenario.ts';
import './config.scenario.ts';
import './confirmation.scenario.ts';
import './faults-agent.scenario.ts';
import './faults-frame.scenario.ts';
import './faults-host.scenario.ts';
import './faults-http.scenario.ts';
import './faults-life.scenario.ts';
import './faults-net.scenario.ts';
import './faults-proc.scenario.ts';
import './faults-rpc.scenario.ts';
import './found-by-seeds.scenario.ts';
import './orders.scenario.ts';
import './processes.scenario.ts';
import './second-thoughts.scenario.ts';

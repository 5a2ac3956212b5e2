/** Questions of servers (roots, samples, forms), which go to the client whose call runs, else to the only one. */
import type { Answers, AskedWith, Confirm, Root, ServerQuestion } from '../api/computer-options.ts';
import { fieldsOf, isObject, type Fields } from '../../machines/protocol/json.ts';
import type { Client } from './hub.ts';

const asked = ['roots', 'sampling', 'elicitation', 'extensions'] as const;
/** By MCP an empty `elicitation` means forms. */
const hasForms = ({ elicitation }: Fields): boolean =>
  isObject(elicitation) && (isObject(elicitation['form']) || Object.keys(elicitation).length === 0);

export function answersOf(capabilities: Fields, clients: () => readonly Client[]): Answers {
  const clientOf = ({ context }: ServerQuestion): Client => {
    const all = clients();
    const found = all.find((client) => client === context) ?? (all.length === 1 ? all[0] : undefined);
    if (!found) throw new Error('no one client can be asked: its calls do not say which');
    return found;
  };
  // The client answers in the form of MCP.
  const ask =
    <Answer>(method: string) =>
    ({ params, ...question }: AskedWith<Fields>): Promise<Answer> => {
      const { mode, ...rest } = params;
      // A form is the default; clients of older revisions do not know the word.
      const said = mode === 'form' || mode === undefined ? rest : params;
      return clientOf(question).ask(method, said, question.signal) as Promise<unknown> as Promise<Answer>;
    };
  const { roots, sampling, elicitation } = capabilities;
  const declared = Object.fromEntries(
    asked.flatMap((name) => (isObject(capabilities[name]) ? [[name, capabilities[name]] as const] : [])),
  );
  return {
    capabilities: declared,
    ...(isObject(roots) && {
      roots: async (question: ServerQuestion) => {
        const answer = await clientOf(question).ask('roots/list', {}, question.signal);
        return (answer['roots'] ?? []) as Root[];
      },
    }),
    ...(isObject(sampling) && { sample: ask('sampling/createMessage') }),
    ...(hasForms(capabilities) && { elicit: ask('elicitation/create') }),
    ...(isObject(fieldsOf(elicitation)['url']) && { elicitUrl: ask('elicitation/create') }),
  };
}

/** Longest arguments in characters that a client shows its user whole. */
const mostShown = 2_000;
/** A client without forms allows nothing. */
export const confirmAtClient: Confirm = async ({ context, server, tool, title, arguments: args, signal }) => {
  const client = context as Client | undefined;
  if (!client || !hasForms(client.identity?.capabilities ?? {}))
    return { decision: 'deny', reason: 'this client cannot ask its user (it has no elicitation)' };
  const whole = JSON.stringify(args, null, 2);
  const more = whole.length - mostShown;
  const shown = more > 0 ? `${whole.slice(0, mostShown)}…\n(${more} more characters are not shown)` : whole;
  const answer = await client.ask(
    'elicitation/create',
    {
      message: `Run ${title === tool ? tool : `${title} (${tool})`} of server ${server} with these arguments?\n${shown}`,
      requestedSchema: { type: 'object', properties: {} },
    },
    signal,
  );
  return answer['action'] === 'accept'
    ? 'allow'
    : { decision: 'deny', reason: `the user has answered ${String(answer['action'])}` };
};

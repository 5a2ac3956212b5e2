import type { Terminal } from '../../../adapters/index.ts';
import type { AskInput } from '../../servers/inputs.ts';

/**
 * Asks a person for the value of an input. An empty answer, and Ctrl-C, mean the default. Without a terminal nobody is asked, so
 * that the environment and the defaults count.
 */
export function inputsAt(terminal: Terminal): AskInput | undefined {
  if (!terminal.isInteractive) return undefined;
  return async (definition, { signal }) => {
    const { id, type, description } = definition;
    // VS Code runs it; here a variable gives it.
    if (type === 'command') return undefined;
    const what = description === '' ? id : description;
    const preset =
      definition.default === null
        ? ''
        : type === 'promptString' && definition.password
          ? ' [default]'
          : ` [${definition.default}]`;
    if (type === 'promptString') {
      const answer = await terminal.question(`${what}${preset}: `, signal, { isSecret: definition.password });
      return answer ?? undefined;
    }
    const { options, labels = {} } = definition;
    terminal.err(what);
    options.forEach((option, n) => terminal.err(`  ${n + 1}  ${labels[option] ?? option}`));
    for (;;) {
      const answer = await terminal.question(`1-${options.length}${preset}: `, signal);
      if (answer === null || answer.trim() === '') return undefined;
      const chosen = options[Number(answer) - 1] ?? options.find((option) => option === answer.trim());
      if (chosen !== undefined) return chosen;
      terminal.err(`'${answer}' is none of them`);
    }
  };
}

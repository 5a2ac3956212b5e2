import type { VNode } from 'preact';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';
import { textOf } from '../../../machines/trace/row.ts';
import { visible } from '../values.ts';

/** Fields of a form for the arguments of a tool, from its schema. */

export interface Tool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Fields;
}
type Set = (name: string, value: unknown) => void;
/** Field of one argument; a value of another form than text, number or yes and no is JSON. */
function Field({
  name,
  schema,
  value,
  set,
}: {
  name: string;
  schema: Fields;
  value: unknown;
  set: Set;
}): VNode {
  const { type, enum: options } = schema;
  if (Array.isArray(options) && options.every((each) => typeof each === 'string'))
    return (
      <select
        name={name}
        value={textOf(value)}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      >
        <option value="" />
        {options.map((each) => (
          <option key={each} value={each}>
            {visible(each)}
          </option>
        ))}
      </select>
    );
  if (type === 'boolean')
    return (
      <input
        type="checkbox"
        name={name}
        checked={value === true}
        onChange={({ currentTarget }) => set(name, currentTarget.checked)}
      />
    );
  const read = (text: string): unknown => {
    if (type === 'string' || text === '') return text;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  };
  return (
    <input
      type="search"
      name={name}
      autocomplete="off"
      placeholder={type === 'string' ? '' : type === 'number' || type === 'integer' ? 'a number' : 'JSON'}
      value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)}
      onInput={({ currentTarget }) => set(name, read(currentTarget.value))}
    />
  );
}
/** Fields for the arguments that the schema of a tool describes; an empty one is left out. */
export function ArgumentFields({
  schema,
  value,
  change,
}: {
  schema: Fields;
  value: Fields;
  change: (value: Fields) => void;
}): VNode {
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const set: Set = (name, given) =>
    change(Object.fromEntries(Object.entries({ ...value, [name]: given }).filter(([, each]) => each !== '')));
  return (
    <>
      {Object.entries(fieldsOf(schema['properties'])).map(([name, each]) => (
        <label key={name}>
          {visible(name)}
          {required.includes(name) ? ' *' : ''}{' '}
          <span class="quiet">{visible(textOf(fieldsOf(each)['description']))}</span>
          <Field name={name} schema={fieldsOf(each)} value={value[name]} set={set} />
        </label>
      ))}
    </>
  );
}
export const hasFields = ({ properties }: Fields): boolean =>
  isObject(properties) && Object.keys(properties).length > 0;

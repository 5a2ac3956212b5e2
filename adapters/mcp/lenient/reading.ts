/** Parts that all readers of this folder share. They read what a server means; what they had to guess they tell. */
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';

/** Hears of each shape that is not as MCP has it and was read all the same. */
export type Tell = (what: string) => void;

/** The members that say something: null says nothing. */
export const said = (value: unknown): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, member]) => member !== null));
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
/** A number, also one that was written as text. */
export function numberOf(value: unknown): number | undefined {
  const read = isText(value) && value.trim() !== '' ? Number(value) : value;
  return isNumber(read) ? read : undefined;
}

/** Keeps members that are as they should be. Others are left out, and told, but null, which says nothing. */
export function kept(
  fields: Fields,
  checks: Readonly<Record<string, (value: unknown) => boolean>>,
  { at, tell }: { readonly at: string; readonly tell: Tell },
): Fields {
  return Object.fromEntries(
    Object.entries(said(fields)).filter(([name, value]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (!check || check(value)) return true;
      tell(`${at}: ${name} is not as MCP has it, and is left out`);
      return false;
    }),
  );
}
/** Refuses a request of a server that cannot be read, with the member that is missing or wrong. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

import { isPageBuilt } from '../../../adapters/index.ts';
import type { Inspection, InspectOptions } from '../../inspector/inspections.ts';
import type { Context } from '../context.ts';
import type { InspectingOptions } from '../host-options.ts';

/**
 * Opens the inspector of a host that goes on until it is ended, if it is wanted, and tells its address. Without a word about
 * it, it is `byDefault`.
 */
export async function showInspector(
  { terminal }: Context,
  { inspect, allowControl = false }: InspectingOptions,
  open: (options: InspectOptions) => Promise<Inspection>,
  byDefault = false,
): Promise<void> {
  const isWanted = inspect ?? (allowControl || (byDefault && terminal.isInteractive && isPageBuilt()));
  if (isWanted === false) return;
  const { url } = await open({ allowControl, ...(typeof inspect === 'number' && { port: inspect }) });
  terminal.err(`inspector ${url}`);
  if (allowControl) terminal.err('whoever has this address may start and stop servers and cancel calls');
}

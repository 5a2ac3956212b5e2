import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { ResourceCollection } from '../ports/link.ts';
import type { CollectionRules } from './collections.ts';

export const collections: Readonly<Record<ResourceCollection, CollectionRules>> = { desktop, finder };

/** The library entry `idport/server`. */
import { createReferenceServer as create } from './index.ts';
import type { ReferenceServer, ReferenceServerOptions } from './options.ts';

export type { ReferenceServer, ReferenceServerOptions } from './options.ts';

/** Creates a reference server. Throws `UsageError` for an unknown profile. */
export const createReferenceServer = (options?: ReferenceServerOptions): ReferenceServer => create(options);

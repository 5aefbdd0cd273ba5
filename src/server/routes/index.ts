/** Routes that are no methods: they need no token or do not speak protobuf JSON. */
import type { Hono } from 'hono';
import type { ServerState } from '../context.ts';
import { mountHealth } from './health.ts';
import { mountToken } from './token.ts';

export const mounts: readonly ((app: Hono, state: ServerState) => void)[] = [mountHealth, mountToken];

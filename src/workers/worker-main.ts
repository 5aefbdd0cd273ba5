/** The main module of a worker thread. */
import type { JobModule } from './job.ts';
import { serveJobs } from './serve-jobs.ts';

serveJobs(async (url) => (await import(url)) as JobModule);

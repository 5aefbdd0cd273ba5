/** The main module of a worker thread in the executable. It contains all jobs, because the executable has no other module. */
import * as convertBatch from '../flows/convert/convert-batch.ts';
import * as hashJob from '../flows/hashing/hash-job.ts';
import type { JobModule } from '../workers/job.ts';
import { serveJobs } from '../workers/serve-jobs.ts';

const jobs = { 'convert-batch': convertBatch, 'hash-job': hashJob };

serveJobs(async (url) => {
  const [, name = ''] = /([\w-]+)\.js$/.exec(url) ?? [];
  return jobs[name as keyof typeof jobs] as unknown as JobModule;
});

import type { AnyJob } from '../../kernel/job.ts'
import { followTransfers, watchTransfers } from './bridge/jobs.ts'
import { gasResume, gasSweep } from './gas/job.ts'

/** What the service does by itself. */
export const jobs: readonly AnyJob[] = [followTransfers, watchTransfers, gasResume, gasSweep]

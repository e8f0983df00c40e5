import type { AnyJob } from '../../kernel/job.ts'
import { followTransfers, watchTransfers } from './bridge/jobs.ts'
import { gasParts } from './gas/parts.ts'

/** Jobs that the service does by itself. */
export const jobs: readonly AnyJob[] = [followTransfers, watchTransfers, ...gasParts.jobs]

import type { AnyJob } from '../../kernel/job.ts'
import { followTransfers, watchTransfers } from './bridge/jobs.ts'

/** What the service does by itself. */
export const jobs: readonly AnyJob[] = [followTransfers, watchTransfers]

import { job } from '../../kernel/job.ts'
import { paymentRows } from './record.ts'

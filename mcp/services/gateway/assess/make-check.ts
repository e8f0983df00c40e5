import { clean } from '../../../lib/text/clean.ts'
import { type Check, type CheckId, type CheckStatus, severityOf } from '../check/check.ts'

type Evidence = Check['evidence']

const maxDetail = 600

/** One check as it is shown. A detail that repeats what a stranger wrote is marked as such, and cleaned like all others. */
export const toCheck = (
  id: CheckId,
  status: CheckStatus,
  detail: string,
  evidence: Evidence = [],
  quotes?: 'quotes strangers',
): Check => ({
  id,
  status,
  severity: severityOf(id),
  detail: clean(detail, maxDetail) ?? '',
  untrusted: quotes !== undefined,
  evidence,
})

/** Evidence that is the word of the request or of the operator. */
export const statedEvidence = (now: Date): Evidence => [
  { url: null, observed_at: now.toISOString(), digest: null },
]

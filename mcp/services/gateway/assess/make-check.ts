import { type Check, type CheckId, type Status, severityOf } from '../check/check.ts'

type Evidence = Check['evidence']

/** One check as it is told. */
export const toCheck = (id: CheckId, status: Status, detail: string, evidence: Evidence = []): Check => ({
  id,
  status,
  severity: severityOf(id),
  detail,
  evidence,
})

/** Evidence that is the word of the request or of the operator. */
export const statedEvidence = (now: Date): Evidence => [
  { url: null, observed_at: now.toISOString(), digest: null },
]

import type { z } from 'zod'
import type { SpfCheck, SpfReport } from '../spf/report.ts'
import type { Parts } from './parts.ts'

type Check = z.input<typeof SpfCheck> | null

/** SPF that the DNS did not tell, beside an evaluation that says so. */
const unknownSpf: Omit<SpfReport, 'check'> = {
  record: null,
  records: [],
  valid: null,
  all: null,
  authorizesAnyone: false,
  lookups: 0,
  voidLookups: 0,
  includes: [],
  includeCount: 0,
  errors: [],
  warnings: [],
}

const shownSpf = (spf: Parts['spf'], check: Check): SpfReport | null => {
  if (!spf) return check && { ...unknownSpf, check }
  const { policy: _, unknown: __, ...report } = spf
  return { ...report, check }
}

const shownMx = (mx: Parts['mx']) => {
  if (!mx) return null
  const { all: _, ...report } = mx
  return report
}

const shownDmarc = (dmarc: Parts['dmarc']) => {
  if (!dmarc) return null
  const { parsed: _, ...report } = dmarc
  return report
}

/** The parts as they stand in the answer, without what is only for us. */
export const shownParts = ({ spf, dmarc, dkim, mx, mtaSts, tlsRpt, bimi, servers }: Parts, check: Check) => ({
  spf: shownSpf(spf, check),
  dmarc: shownDmarc(dmarc),
  dkim,
  mx: shownMx(mx),
  mtaSts,
  tlsRpt,
  bimi,
  servers,
})

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
  authorizes_anyone: false,
  lookups: 0,
  void_lookups: 0,
  includes: [],
  include_count: 0,
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
export const shownParts = (
  { spf, dmarc, dkim, mx, mta_sts: mtaSts, tls_rpt: tlsRpt, bimi, servers }: Parts,
  check: Check,
) => ({
  spf: shownSpf(spf, check),
  dmarc: shownDmarc(dmarc),
  dkim,
  mx: shownMx(mx),
  mta_sts: mtaSts,
  tls_rpt: tlsRpt,
  bimi,
  servers,
})

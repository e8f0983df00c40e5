import { type Parts, usesMail } from './parts.ts'
import type { Spoofability } from './verdict.ts'

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F'

type Points = { earned: number; of: number }

const dmarcPoints = ({ dmarc }: Parts): number => {
  if (!dmarc?.record || dmarc.effective_policy === null) return 0
  if (dmarc.effective_policy === 'reject') return 50
  if (dmarc.effective_policy === 'quarantine') return 38
  return dmarc.rua.length > 0 ? 15 : 8
}

const spfPoints = ({ spf }: Parts): number => {
  if (!spf?.record || spf.authorizes_anyone) return 0
  if (spf.valid === false) return 5
  return spf.all === '-all' || spf.all === '~all' ? 25 : 10
}

/** Keys that were not found say nothing, so they do not count. */
const dkimPoints = ({ dkim }: Parts): Points => {
  if (dkim?.status !== 'found') return { earned: 0, of: 0 }
  const good = dkim.found.some(
    ({ valid, bits, key_type: keyType, testing }) =>
      valid && !testing && (keyType !== 'rsa' || (bits ?? 0) >= 2048),
  )
  const usable = dkim.found.some(({ valid, testing }) => valid && !testing)
  return { earned: good ? 15 : usable ? 10 : 3, of: 15 }
}

const transportPoints = ({ mta_sts: mtaSts, tls_rpt: tlsRpt, mx }: Parts): Points => {
  if (!mx || mx.count === 0) return { earned: 0, of: 0 }
  const sts =
    mtaSts?.valid && mtaSts.mode === 'enforce' ? 6 : mtaSts?.valid && mtaSts.mode === 'testing' ? 3 : 0
  return {
    earned: sts + (tlsRpt?.valid ? 4 : 0),
    of: (mtaSts && mtaSts.valid !== null ? 6 : 0) + (tlsRpt ? 4 : 0),
  }
}

const maxScore: Readonly<Record<Spoofability, number>> = {
  protected: 100,
  partial: 84,
  spoofable: 49,
  unknown: 0,
}

const toGrade = (score: number): Grade => {
  if (score >= 90) return 'A'
  if (score >= 75) return 'B'
  if (score >= 60) return 'C'
  return score >= 40 ? 'D' : 'F'
}

/**
 * 0 to 100: DMARC 50, SPF 25, DKIM 15, transport (MTA-STS, TLS-RPT) 10, of what applies and is known. A domain that can be
 * forged gets 49 at most, one that is half protected 84. Null when that is not known.
 */
export const computeMailScore = (
  parts: Parts,
  spoofability: Spoofability,
): { score: number | null; grade: Grade | null } => {
  if (spoofability === 'unknown') return { score: null, grade: null }
  const noMail = usesMail(parts) === false
  const extra = noMail ? [] : [dkimPoints(parts), transportPoints(parts)]
  const scored: Points[] = [
    ...(parts.dmarc ? [{ earned: dmarcPoints(parts), of: 50 }] : []),
    ...(parts.spf ? [{ earned: spfPoints(parts), of: 25 }] : []),
    ...extra,
  ]
  const got = scored.reduce((sum, points) => sum + points.earned, 0)
  const of = scored.reduce((sum, points) => sum + points.of, 0)
  const score = Math.min(maxScore[spoofability], Math.round((100 * got) / Math.max(1, of)))
  return { score, grade: toGrade(score) }
}

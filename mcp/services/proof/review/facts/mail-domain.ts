import { actFact, type Detector, type Fact, narrow } from './fact.ts'

const seesRecord = (row: string): Fact | string | undefined => {
  const spf = /\bv=spf1\b[^"'\n]{0,400}/i.exec(row)?.[0]
  if (spf !== undefined) {
    if (/\s\+?all\b/i.test(spf) || /\sip[46]:(?:0\.0\.0\.0\/[0-7]\b|::\/0)/i.test(spf))
      return 'Everybody may send mail in the name of the domain.'
    return /\s\?all\b/i.test(spf) ? narrow('Mail of strangers is taken for that of the domain.') : undefined
  }
  const dmarc = /\bv=DMARC1\b[^"'\n]{0,400}/i.exec(row)?.[0]
  // To watch before enforcing is a beginning, where reports go somewhere.
  if (dmarc !== undefined)
    return /\bp\s?=\s?none\b/i.test(dmarc) && !/\brua\s?=/i.test(dmarc)
      ? narrow('Forged mail is delivered, and nobody hears of it.')
      : undefined
  return /\bv=STSv1\b|\bmta[-_]sts\b/i.test(row) && /\bmode\s?[:=]\s?["']?none\b/i.test(row)
    ? narrow('Mail may travel without encryption.')
    : undefined
}

/** Records of a domain that say who may send mail in its name. */
export const mailDomainFacts: readonly Detector[] = [
  actFact({
    id: 'config-mail-forged',
    see: ({ lines, kind }) =>
      kind !== 'sentences'
        ? lines.flatMap(({ text, change, isProse, place }): Fact[] => {
            if (change === 'removed' || change === 'context' || isProse || /^\s*(?:;|#|\/\/)/.test(text))
              return []
            const seen = seesRecord(text)
            if (seen === undefined) return []
            return [typeof seen === 'string' ? { detail: seen, place } : { place, ...seen }]
          })
        : [],
  }),
]

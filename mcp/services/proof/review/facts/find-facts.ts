import type { Act } from '../act.ts'
import type { Finding } from '../finding.ts'
import { codeFacts } from './code.ts'
import { lostFacts } from './code-lost.ts'
import { dependencyFacts } from './dependencies.ts'
import type { Detector, Fact } from './fact.ts'
import { actFact, narrow } from './fact.ts'
import { secretFacts } from './secrets.ts'
import { settingFacts } from './settings.ts'
import { rightsFacts } from './settings-rights.ts'
import { serviceDetectors } from './settings-services.ts'
import { shellFacts } from './shell.ts'
import { fileFacts } from './shell-files.ts'
import { remoteFacts } from './shell-remote.ts'
import { sqlFacts } from './sql.ts'
import { type Effect, table, toSeverity } from './table.ts'

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
const mailDomainFacts: readonly Detector[] = [
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

const detectors: readonly Detector[] = [
  ...fileFacts,
  ...remoteFacts,
  ...shellFacts,
  ...sqlFacts,
  ...secretFacts,
  ...codeFacts,
  ...lostFacts,
  ...dependencyFacts,
  ...settingFacts,
  ...rightsFacts,
  ...serviceDetectors,
  ...mailDomainFacts,
]

/** The finding for an effect: its row of the table says how bad it is, and a way to mend it. */
export const toFinding = (id: Effect, { effect = id, detail, scope, place = {} }: Fact): Finding => ({
  rule: effect,
  layer: 'facts',
  severity: toSeverity(effect, scope),
  category: table[effect].family,
  detail,
  fix: table[effect].fix,
  place,
})

/** Finds facts in one act by parser and table. What is only named, in words that say not to run it, is a remark. */
export const findFacts = (act: Act): Finding[] =>
  detectors.flatMap(({ id, check }) =>
    check(act).map(fact =>
      act.isMention
        ? toFinding(id, {
            ...fact,
            scope: 'guarded',
            detail: `${fact.detail} It is named as what is not to be done.`,
          })
        : toFinding(id, fact),
    ),
  )

import type { Act } from '../act.ts'
import type { Finding } from '../finding.ts'
import { codeFacts } from './code.ts'
import { lostFacts } from './code-lost.ts'
import { removalFacts } from './code-removed.ts'
import { weakenedFacts } from './code-weakened.ts'
import { dependencyFacts } from './dependencies.ts'
import type { Detector, Fact } from './fact.ts'
import { mailDomainFacts } from './mail-domain.ts'
import { secretFacts } from './secrets.ts'
import { settingFacts } from './settings.ts'
import { changeFacts } from './settings-changes.ts'
import { guardFacts } from './settings-guards.ts'
import { rightsFacts } from './settings-rights.ts'
import { serviceFacts } from './settings-services.ts'
import { shellFacts } from './shell.ts'
import { fileFacts } from './shell-files.ts'
import { remoteFacts } from './shell-remote.ts'
import { sqlFacts } from './sql.ts'
import { type Effect, table, toSeverity } from './table.ts'

const detectors: readonly Detector[] = [
  ...fileFacts,
  ...remoteFacts,
  ...shellFacts,
  ...sqlFacts,
  ...secretFacts,
  ...codeFacts,
  ...removalFacts,
  ...weakenedFacts,
  ...lostFacts,
  ...dependencyFacts,
  ...settingFacts,
  ...rightsFacts,
  ...changeFacts,
  ...guardFacts,
  ...serviceFacts,
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

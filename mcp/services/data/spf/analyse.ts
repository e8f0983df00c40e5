import { wideNetworks } from '../../../lib/mail-auth/spf/anyone.ts'
import { lint, nearMisses } from '../../../lib/mail-auth/spf/lint.ts'
import { parseSpf } from '../../../lib/mail-auth/spf/parse.ts'
import type { Policy, Qualifier } from '../../../lib/mail-auth/spf/policy.ts'
import type { Dns } from '../../../ports/index.ts'
import { shown, shownNotes } from '../mail-policy/notes.ts'
import type { Note } from '../meta.ts'
import type { Found } from './find.ts'
import type { SpfReport } from './report.ts'
import { mostLookups, mostVoids } from './run.ts'
import type { Branch, Sum, Walk } from './sum.ts'
import { sumOf } from './tree.ts'

/** Terms that are looked up; beyond, they are only counted. */
const mostTerms = 30
const mostShown = 60
const longest = 4096

/** An analysis for show, and the record as it is for those who build on it. */
export type Analysis = Omit<SpfReport, 'check'> & { policy: Policy | null; unknown: string[] }

const all = (qualifier: Qualifier | null) => (qualifier === null ? null : (`${qualifier}all` as const))

const flat = (parent: string, branches: readonly Branch[]): SpfReport['includes'] =>
  branches.flatMap(branch => [
    {
      kind: branch.kind,
      domain: shown(branch.domain, 253),
      parent: shown(parent, 253),
      level: branch.level,
      record: branch.record === null ? null : shown(branch.record, longest),
      all: all(branch.all),
      lookups: branch.lookups,
      voidLookups: branch.voids,
      problem: branch.problem === null ? null : shown(branch.problem, 500),
    },
    ...flat(branch.domain, branch.branches),
  ])

const overLimits = ({ lookups, voids }: Sum): Note[] => [
  ...(lookups > mostLookups
    ? [
        {
          code: 'too_many_lookups',
          message: `The record needs ${lookups} DNS lookups; more than ${mostLookups} are an error.`,
        },
      ]
    : []),
  ...(voids > mostVoids
    ? [
        {
          code: 'too_many_voids',
          message: `${voids} lookups find nothing; more than ${mostVoids} are an error.`,
        },
      ]
    : []),
]

const none: Omit<Analysis, 'warnings' | 'errors' | 'records'> = {
  record: null,
  valid: false,
  all: null,
  authorizesAnyone: false,
  lookups: 0,
  voidLookups: 0,
  includes: [],
  includeCount: 0,
  policy: null,
  unknown: [],
}

const warn = (policies: readonly Policy[], { lookups, passesAll, unknown }: Sum): Note[] => [
  ...(passesAll
    ? [{ code: 'anyone_passes', message: 'Every host in the world passes: the record protects nothing.' }]
    : []),
  ...(lookups === mostLookups || lookups === mostLookups - 1
    ? [{ code: 'many_lookups', message: `${lookups} of ${mostLookups} DNS lookups are used.` }]
    : []),
  ...(policies.some(({ directives }) => directives.some(({ mechanism }) => mechanism.name === 'ptr'))
    ? [
        {
          code: 'ptr',
          message: '"ptr" is slow and unreliable and should not be used (RFC 7208 section 5.5).',
        },
      ]
    : []),
  ...unknown.slice(0, 5).map(name => ({ code: 'unknown', message: `The DNS did not answer about ${name}.` })),
]

/** What can be said of a domain's SPF record without a client: validity, costs, tree, faults (RFC 7208). */
export const analyseSpf = async (
  dns: Dns,
  domain: string,
  found: Found,
  signal: AbortSignal,
): Promise<Analysis> => {
  const records = found.records.slice(0, 10).map(text => shown(text, longest))
  const misses = nearMisses(found.texts)
  const [record] = found.records
  if (record === undefined) return { ...none, records, errors: [], warnings: shownNotes(misses) }
  if (found.records.length > 1) {
    const message = `There are ${found.records.length} SPF records; receivers use none of them.`
    return { ...none, records, errors: [{ code: 'several_records', message }], warnings: shownNotes(misses) }
  }
  const walk: Walk = { dns, signal, termsLeft: mostTerms, policies: [] }
  const sum = await sumOf(walk, record, { domain, path: [domain.toLowerCase()] })
  const policy = walk.policies[0] ?? parseSpf(record)
  const errors = [...sum.errors, ...overLimits(sum)]
  const wide = wideNetworks(walk.policies)
  const includes = flat(domain, sum.branches)
  return {
    record: shown(record, longest),
    records,
    valid: errors.length > 0 ? false : sum.unknown.length > 0 ? null : true,
    all: all(sum.all),
    authorizesAnyone: sum.passesAll || wide.halfOfAll,
    lookups: sum.lookups,
    voidLookups: sum.voids,
    includes: includes.slice(0, mostShown),
    includeCount: includes.length,
    errors: shownNotes(errors),
    warnings: shownNotes([
      ...warn(walk.policies, sum),
      ...wide.notes,
      ...lint(policy, record, sum.all),
      ...misses,
    ]),
    policy,
    unknown: sum.unknown,
  }
}

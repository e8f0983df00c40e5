import { wideNetworks } from '../../../lib/mail-auth/spf/anyone.ts'
import { lint, nearMisses } from '../../../lib/mail-auth/spf/lint.ts'
import { parseSpf } from '../../../lib/mail-auth/spf/parse.ts'
import type { Qualifier, SpfPolicy } from '../../../lib/mail-auth/spf/policy.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { toPrintable, toPrintableNotes } from '../mail-policy/notes.ts'
import type { Note } from '../meta.ts'
import type { SpfLookup } from './find.ts'
import type { Branch, LookupWalk, Sum } from './lookup-totals.ts'
import type { SpfReport } from './report.ts'
import { maxLookups, maxVoids } from './run.ts'
import { sumRecord } from './tree.ts'

/** Terms that are looked up; beyond, they are only counted. */
const maxTerms = 30
const maxListed = 60
const maxLength = 4096

/** An analysis for show, and the record as it is for those who build on it. */
export type Analysis = Omit<SpfReport, 'check'> & { policy: SpfPolicy | null; unknown: string[] }

const all = (qualifier: Qualifier | null) => (qualifier === null ? null : (`${qualifier}all` as const))

const flat = (parent: string, branches: readonly Branch[]): SpfReport['includes'] =>
  branches.flatMap(branch => [
    {
      kind: branch.kind,
      domain: toPrintable(branch.domain, 253),
      parent: toPrintable(parent, 253),
      level: branch.level,
      record: branch.record === null ? null : toPrintable(branch.record, maxLength),
      all: all(branch.all),
      lookups: branch.lookups,
      void_lookups: branch.voids,
      problem: branch.problem === null ? null : toPrintable(branch.problem, 500),
    },
    ...flat(branch.domain, branch.branches),
  ])

const overLimits = ({ lookups, voids }: Sum): Note[] => [
  ...(lookups > maxLookups
    ? [
        {
          code: 'too_many_lookups',
          message: `The record needs ${lookups} DNS lookups; more than ${maxLookups} are an error.`,
        },
      ]
    : []),
  ...(voids > maxVoids
    ? [
        {
          code: 'too_many_voids',
          message: `${voids} lookups find nothing; more than ${maxVoids} are an error.`,
        },
      ]
    : []),
]

const none: Omit<Analysis, 'warnings' | 'errors' | 'records'> = {
  record: null,
  valid: false,
  all: null,
  authorizes_anyone: false,
  lookups: 0,
  void_lookups: 0,
  includes: [],
  include_count: 0,
  policy: null,
  unknown: [],
}

const warn = (policies: readonly SpfPolicy[], { lookups, passesAll, unknown }: Sum): Note[] => [
  ...(passesAll
    ? [{ code: 'anyone_passes', message: 'Every host in the world passes: the record protects nothing.' }]
    : []),
  ...(lookups === maxLookups || lookups === maxLookups - 1
    ? [{ code: 'many_lookups', message: `${lookups} of ${maxLookups} DNS lookups are used.` }]
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

/** Analyses a domain's SPF record without a client: validity, costs, tree, faults (RFC 7208). */
export const analyseSpf = async (
  dns: Dns,
  domain: string,
  lookup: SpfLookup,
  signal: AbortSignal,
): Promise<Analysis> => {
  const records = lookup.records.slice(0, 10).map(text => toPrintable(text, maxLength))
  const misses = nearMisses(lookup.texts)
  const [record] = lookup.records
  if (record === undefined) return { ...none, records, errors: [], warnings: toPrintableNotes(misses) }
  if (lookup.records.length > 1) {
    const message = `There are ${lookup.records.length} SPF records; receivers use none of them.`
    return {
      ...none,
      records,
      errors: [{ code: 'several_records', message }],
      warnings: toPrintableNotes(misses),
    }
  }
  const walk: LookupWalk = { dns, signal, termsLeft: maxTerms, policies: [] }
  const sum = await sumRecord(walk, record, { domain, path: [domain.toLowerCase()] })
  const policy = walk.policies[0] ?? parseSpf(record)
  const errors = [...sum.errors, ...overLimits(sum)]
  const wide = wideNetworks(walk.policies)
  const includes = flat(domain, sum.branches)
  return {
    record: toPrintable(record, maxLength),
    records,
    valid: errors.length > 0 ? false : sum.unknown.length > 0 ? null : true,
    all: all(sum.all),
    authorizes_anyone: sum.passesAll || wide.halfOfAll,
    lookups: sum.lookups,
    void_lookups: sum.voids,
    includes: includes.slice(0, maxListed),
    include_count: includes.length,
    errors: toPrintableNotes(errors),
    warnings: toPrintableNotes([
      ...warn(walk.policies, sum),
      ...wide.notes,
      ...lint(policy, record, sum.all),
      ...misses,
    ]),
    policy,
    unknown: sum.unknown,
  }
}

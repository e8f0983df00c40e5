import { literalText } from '../../../lib/mail-auth/spf/macro-string.ts'
import { parseSpf } from '../../../lib/mail-auth/spf/parse.ts'
import { type Directive, reachable } from '../../../lib/mail-auth/spf/policy.ts'
import type { Note } from '../meta.ts'
import { findSpf } from './find.ts'
import { type Branch, fault, type LookupWalk, nothing, type Sum, sumOfNames } from './lookup-totals.ts'
import { withoutDot } from './run.ts'

type Place = { domain: string; path: readonly string[] }

const followBranch = async (
  walk: LookupWalk,
  kind: Branch['kind'],
  name: string,
  path: readonly string[],
): Promise<Sum> => {
  const branch: Branch = {
    kind,
    domain: name,
    level: path.length,
    record: null,
    all: null,
    lookups: 0,
    voids: 0,
    problem: null,
    branches: [],
  }
  const closeBranch = (sum: Partial<Sum>, problem: Note | null): Sum => {
    const { all = null, lookups = 0, voids = 0, branches = [] } = sum
    Object.assign(branch, { all, lookups, voids, branches, problem: problem?.message ?? null })
    const errors = [...(problem ? [problem] : []), ...(sum.errors ?? [])]
    return { ...nothing, ...sum, errors, lookups: lookups + 1, branches: [branch] }
  }
  if (path.includes(name.toLowerCase()))
    return closeBranch(
      {},
      fault(`${kind}_loop`, `The records lead in a circle: ${[...path, name].join(' → ')}.`),
    )
  if (walk.termsLeft <= 0) return closeBranch({}, null)
  const { records, texts, failed } = await findSpf(walk.dns, name, walk.signal)
  if (failed) return closeBranch({ unknown: [name] }, null)
  const [record] = records
  if (record === undefined)
    return closeBranch(
      { voids: texts.length > 0 ? 0 : 1 },
      fault(`${kind}_without_record`, `${name} has no SPF record, which makes the ${kind} an error.`),
    )
  branch.record = record
  if (records.length > 1)
    return closeBranch(
      {},
      fault(`${kind}_several_records`, `${name} has ${records.length} SPF records; only one is allowed.`),
    )
  return closeBranch(
    await sumRecord(walk, record, { domain: name, path: [...path, name.toLowerCase()] }),
    null,
  )
}

const needsLookup = ({ mechanism: { name } }: Directive): boolean =>
  name !== 'all' && name !== 'ip4' && name !== 'ip6'

const sumDirective = async (walk: LookupWalk, { mechanism }: Directive, place: Place): Promise<Sum> => {
  if (mechanism.name === 'all' || mechanism.name === 'ip4' || mechanism.name === 'ip6') return nothing
  walk.termsLeft--
  const plain = mechanism.domain ? literalText(mechanism.domain) : place.domain
  if (plain === undefined || mechanism.name === 'ptr') return { ...nothing, lookups: 1 }
  const name = withoutDot(plain)
  if (mechanism.name === 'include') return followBranch(walk, 'include', name, place.path)
  if (walk.termsLeft < 0) return { ...nothing, lookups: 1 }
  if (mechanism.name === 'a') return sumOfNames(walk, name, ['A', 'AAAA'])
  return sumOfNames(walk, name, mechanism.name === 'mx' ? ['MX'] : ['A'])
}

const letsAllPass = (directives: readonly Directive[], sums: readonly Sum[]): boolean =>
  directives.some(
    ({ qualifier, mechanism }, index) =>
      mechanism.name === 'include' && qualifier === '+' && sums[index]?.passesAll,
  )

/** Adds up a record and all that it leads to. */
export const sumRecord = async (walk: LookupWalk, record: string, place: Place): Promise<Sum> => {
  const policy = parseSpf(record)
  walk.policies.push(policy)
  const reachableDirectives = reachable(policy)
  const directives = reachableDirectives.filter(needsLookup)
  const end = reachableDirectives.at(-1)
  const own = end?.mechanism.name === 'all' ? end.qualifier : null
  const withinLimit = directives.slice(0, Math.max(0, walk.termsLeft))
  const sums = await Promise.all(withinLimit.map(directive => sumDirective(walk, directive, place)))
  const passes = policy.problems.length === 0 && (own === '+' || letsAllPass(directives, sums))
  let last: Sum | undefined
  if (policy.redirect && own === null) {
    walk.termsLeft--
    const target = literalText(policy.redirect)
    last =
      target === undefined
        ? { ...nothing, lookups: 1 }
        : await followBranch(walk, 'redirect', withoutDot(target), place.path)
  }
  const parts = last ? [...sums, last] : sums
  const syntax = policy.problems.map(({ message }) =>
    fault('syntax', `In the record of ${place.domain}, ${message}`),
  )
  return {
    lookups: parts.reduce((sum, { lookups }) => sum + lookups, directives.length - withinLimit.length),
    voids: parts.reduce((sum, { voids }) => sum + voids, 0),
    all: own ?? last?.all ?? null,
    passesAll: passes || (own === null && (last?.passesAll ?? false)),
    errors: [...syntax, ...parts.flatMap(({ errors }) => errors)],
    unknown: parts.flatMap(({ unknown }) => unknown),
    branches: parts.flatMap(({ branches }) => branches),
  }
}

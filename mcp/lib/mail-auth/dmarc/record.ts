import type { Note } from '../../note.ts'
import { parseTags, repeatedTagNotes, type Tag, tagValue } from '../tags.ts'
import { type ReportUri, readReportUris } from './report-uris.ts'

export type DmarcPolicy = 'none' | 'quarantine' | 'reject'
export type Alignment = 'relaxed' | 'strict'
export type RemovedTag = { tag: string; value: string; advice: string }

/** A DMARC policy record as RFC 9989 reads it: what is wrong falls back to its default, with an error beside it. */
export type DmarcRecord = {
  text: string
  tags: Tag[]
  /** Null when nothing is enforced or reported: a wrong policy without a report address (RFC 9989 section 4.10.1). */
  policy: DmarcPolicy | null
  subdomainPolicy: DmarcPolicy | null
  nonexistentPolicy: DmarcPolicy | null
  psd: 'y' | 'n' | 'u'
  testMode: boolean
  dkimAlignment: Alignment
  spfAlignment: Alignment
  failureOptions: string[]
  rua: ReportUri[]
  ruf: ReportUri[]
  removedTags: RemovedTag[]
  errors: Note[]
  warnings: Note[]
}

const knownTags = new Set(['v', 'p', 'sp', 'np', 'psd', 't', 'adkim', 'aspf', 'fo', 'rua', 'ruf'])

/** Tags that a verdict hangs on. */
const deciding = new Set(['p', 'sp', 'np', 't'])

const advice: Readonly<Record<string, string>> = {
  pct: 'Remove it: RFC 9989 receivers apply the policy to all mail. To test a policy, use t=y.',
  rf: 'Remove it: there is only one report format.',
  ri: 'Remove it: reports are sent once a day.',
}

export const isPolicy = (text: string): text is DmarcPolicy =>
  text === 'none' || text === 'quarantine' || text === 'reject'

type Draft = { tags: Tag[]; errors: Note[]; warnings: Note[] }

const wrong = (draft: Draft, name: string, value: string, may: string): void => {
  draft.errors.push({
    code: 'bad_value',
    message: `${name}=${value.slice(0, 60)} is not allowed; it may be ${may}.`,
  })
}

/** The policy of a tag; undefined without the tag, null when it is wrong. */
const readPolicy = (draft: Draft, name: string): DmarcPolicy | null | undefined => {
  const value = tagValue(draft.tags, name)
  if (value === undefined) return undefined
  const lower = value.toLowerCase()
  if (isPolicy(lower)) return lower
  wrong(draft, name, value, 'none, quarantine or reject')
  return null
}

/** One wrong policy makes all of them none, or no DMARC at all when nobody gets reports (RFC 9989 section 4.10.1). */
const readPolicies = (draft: Draft, reported: boolean) => {
  const [p, sp, np] = [readPolicy(draft, 'p'), readPolicy(draft, 'sp'), readPolicy(draft, 'np')]
  const all = (policy: DmarcPolicy | null) => ({ policy, subdomainPolicy: policy, nonexistentPolicy: policy })
  if (p === null || sp === null || np === null) return all(reported ? 'none' : null)
  if (p === undefined)
    draft.warnings.push({
      code: 'no_policy',
      message: 'Without p the policy is none; receivers of the older standard ignore the record.',
    })
  const policy = p ?? 'none'
  const subdomainPolicy = sp ?? policy
  return { policy, subdomainPolicy, nonexistentPolicy: np ?? subdomainPolicy }
}

const readChoice = <const T extends string>(draft: Draft, name: string, choices: readonly [T, ...T[]]): T => {
  const value = tagValue(draft.tags, name)
  if (value === undefined) return choices[0]
  const choice = choices.find(choice => choice === value.toLowerCase())
  if (choice === undefined) wrong(draft, name, value, choices.join(' or '))
  return choice ?? choices[0]
}

const alignment = (value: 'r' | 's'): Alignment => (value === 's' ? 'strict' : 'relaxed')

const readFailureOptions = (draft: Draft): string[] => {
  const value = tagValue(draft.tags, 'fo')
  if (value === undefined) return ['0']
  const options = value
    .toLowerCase()
    .split(':')
    .map(option => option.trim())
  if (!options.every(option => /^[01ds]$/.test(option))) {
    wrong(draft, 'fo', value, '0, 1, d and s, joined with ":"')
    return ['0']
  }
  const unique = [...new Set(options)]
  if (unique.length < options.length || (unique.includes('0') && unique.includes('1')))
    draft.warnings.push({
      code: 'redundant_option',
      message: `fo=${value.slice(0, 60)} says one thing twice: 1 includes 0.`,
    })
  if (tagValue(draft.tags, 'ruf') === undefined)
    draft.warnings.push({ code: 'fo_without_ruf', message: 'fo means nothing without ruf.' })
  return unique
}

const noteTags = (draft: Draft, broken: readonly string[], repeated: readonly string[]): void => {
  for (const part of broken.slice(0, 5))
    draft.errors.push({
      code: 'no_tag',
      message: `"${part.slice(0, 60)}" is no tag; tags are written name=value and end with ";".`,
    })
  const [decisive, others] = [true, false].map(is => repeated.filter(name => deciding.has(name) === is))
  // A list with a name twice is no tag list (RFC 6376 §3.2).
  draft.errors.push(
    ...repeatedTagNotes(decisive ?? []).map(note => ({ ...note, code: 'repeated_policy' })),
    ...repeatedTagNotes(others ?? []),
  )
  const unknown = draft.tags
    .map(({ name }) => name)
    .filter(name => !knownTags.has(name) && !Object.hasOwn(advice, name))
  if (unknown.length > 0)
    draft.warnings.push({
      code: 'unknown_tag',
      message: `Unknown tags are ignored: ${unknown.slice(0, 8).join(', ').slice(0, 200)}.`,
    })
}

const readUris = (draft: Draft, name: 'rua' | 'ruf'): ReportUri[] => {
  const value = tagValue(draft.tags, name)
  if (value === undefined) return []
  const { uris, errors, warnings } = readReportUris(name, value)
  draft.errors.push(...errors.slice(0, 5))
  draft.warnings.push(...warnings.slice(0, 5))
  return uris
}

/** Reads a DMARC policy record. Never throws. */
export const parseDmarc = (text: string): DmarcRecord => {
  const { tags, broken, repeated } = parseTags(text)
  const draft: Draft = { tags, errors: [], warnings: [] }
  noteTags(draft, broken, repeated)
  const rua = readUris(draft, 'rua')
  const ruf = readUris(draft, 'ruf')
  return {
    text,
    tags,
    ...readPolicies(draft, rua.length > 0),
    psd: readChoice(draft, 'psd', ['u', 'y', 'n']),
    testMode: readChoice(draft, 't', ['n', 'y']) === 'y',
    dkimAlignment: alignment(readChoice(draft, 'adkim', ['r', 's'])),
    spfAlignment: alignment(readChoice(draft, 'aspf', ['r', 's'])),
    failureOptions: readFailureOptions(draft),
    rua,
    ruf,
    removedTags: tags.flatMap(({ name, value }) =>
      Object.hasOwn(advice, name) ? [{ tag: name, value, advice: advice[name] ?? '' }] : [],
    ),
    errors: draft.errors,
    warnings: draft.warnings,
  }
}

import { type MacroString, parseDomainSpec, readMacroString, type UnreadableMacro } from './macro-string.ts'
import { readMechanism } from './mechanism.ts'
import type { Directive, Problem, Qualifier, SpfPolicy } from './policy.ts'

const version = /^v=spf1(?: |$)/i
const term = /^([-+?~]?)([a-z][a-z0-9_.-]*)(.*)$/is

/** A second term inside a term: the space between two was forgotten, or two strings were joined without one. */
const missingSpacePattern = /.(?:(?:include|exists|ip4|ip6|redirect|mx|ptr):|redirect=|[~?-]all$)/i

/** True when a TXT record is an SPF record: the version, then a space or the end (RFC 7208 section 4.5). */
export const isSpf = (text: string): boolean => version.test(text)

const toProblem = (text: string, { why }: UnreadableMacro): Problem => {
  const hint = missingSpacePattern.test(text) ? ' A space seems to be missing in it.' : ''
  return { term: text, message: `"${text.slice(0, 100)}" breaks the syntax: ${why.slice(0, 150)}.${hint}` }
}

/** No record of use is nearly as long; reading on would only cost time. */
const maxRecordLength = 16_384

type Draft = {
  directives: Directive[]
  modifiers: Map<string, MacroString>
  others: string[]
  problems: Problem[]
}

const readModifier = (draft: Draft, text: string, name: string, value: string): void => {
  const isKnown = name === 'redirect' || name === 'exp'
  const target = isKnown ? parseDomainSpec(value) : readMacroString(value)
  if ('why' in target) draft.problems.push(toProblem(text, target))
  else if (!isKnown) draft.others.push(text)
  else if (draft.modifiers.has(name)) draft.problems.push(toProblem(text, { why: `${name} stands twice` }))
  else draft.modifiers.set(name, target)
}

const readTerm = (draft: Draft, text: string): void => {
  const [, qualifier = '', rawName = '', rest = ''] = term.exec(text) ?? []
  const name = rawName.toLowerCase()
  if (rest.startsWith('=') && qualifier === '') {
    readModifier(draft, text, name, rest.slice(1))
    return
  }
  const mechanism = readMechanism(name, rest)
  if ('why' in mechanism) draft.problems.push(toProblem(text, mechanism))
  else draft.directives.push({ text, qualifier: (qualifier || '+') as Qualifier, mechanism })
}

/**
 * Reads an SPF record, its version included (RFC 7208 section 4.6 and 12). Never throws; what is wrong is in `problems`,
 * which a record over 16,384 characters has.
 */
export const parseSpf = (record: string): SpfPolicy => {
  const draft: Draft = { directives: [], modifiers: new Map(), others: [], problems: [] }
  if (record.length > maxRecordLength) {
    const message = `it has ${record.length} characters; over ${maxRecordLength} it is not read.`
    return { directives: [], redirect: null, exp: null, others: [], problems: [{ term: '', message }] }
  }
  for (const text of record.slice(6).split(' ')) if (text !== '') readTerm(draft, text)
  const { directives, modifiers, others, problems } = draft
  return {
    directives,
    redirect: modifiers.get('redirect') ?? null,
    exp: modifiers.get('exp') ?? null,
    others,
    problems,
  }
}

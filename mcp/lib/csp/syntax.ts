import { ellipsize } from '../text/cut.ts'
import { distance } from '../text/distance.ts'
import type { CspPolicy } from './parse.ts'
import { type Problem, problem } from './problem.ts'
import { has, isHash, isNonce } from './sources.ts'
import { vocabulary } from './vocabulary.ts'

const nearest = (name: string): string | undefined =>
  [...vocabulary().directives].find(one => distance(name, one, 2) <= 2)

const nameProblems = (directive: string, source: CspPolicy['source']): Problem[] => {
  const { dead, directives, header_only: headerOnly } = vocabulary()
  const instead = dead.get(directive)
  if (instead) return [problem('dead_directive', directive, { name: directive, instead })]
  if (!directives.has(directive)) {
    const suggestion = nearest(directive)
    const name = directive.slice(0, 60)
    return suggestion
      ? [problem('misspelt_directive', name, { name, suggestion })]
      : [problem('unknown_directive', name, { name })]
  }
  const isIgnored = source === 'meta' && headerOnly.has(directive)
  return isIgnored ? [problem('ignored_in_meta', directive, { name: directive })] : []
}

/** At least 128 bits, which is 22 characters of base64 (CSP3 §8.1). */
const shortNonce = 22

const aboutSource = (name: string, source: string): Problem[] => {
  const { keywords, directives } = vocabulary()
  const word = source.toLowerCase()
  if (keywords.has(word)) return [problem('unquoted_keyword', name, { word })]
  if (directives.has(word.replace(/:$/, ''))) return [problem('missing_semicolon', name, { word, name })]
  if (!word.startsWith("'") && !word.endsWith("'")) return []
  if (word.startsWith("'nonce-")) {
    if (!isNonce(source)) return [problem('bad_nonce', name)]
    return source.length - "'nonce-'".length >= shortNonce ? [] : [problem('short_nonce', name)]
  }
  if (word.startsWith("'sha")) return isHash(source) ? [] : [problem('bad_hash', name)]
  return keywords.has(word.slice(1, -1))
    ? []
    : [problem('unknown_keyword', name, { word: ellipsize(source, 60) })]
}

const aboutList = (name: string, list: readonly string[]): Problem[] => {
  if (vocabulary().unlisted.has(name)) return []
  const isMixed = list.length > 1 && has(list, "'none'")
  return [
    ...list.flatMap(source => aboutSource(name, source)),
    ...(isMixed ? [problem('none_with_others', name, { name })] : []),
  ]
}

/** Lists a policy's misspelt terms, and those void in their place. */
export const syntaxProblems = ({ directives, source, repeated }: CspPolicy): Problem[] => [
  ...[...new Set(repeated)]
    .map(name => name.slice(0, 60))
    .map(name => problem('repeated_directive', name, { name })),
  ...Object.entries(directives).flatMap(([name, list]) => [
    ...nameProblems(name, source),
    ...aboutList(name, list),
  ]),
]

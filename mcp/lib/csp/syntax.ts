import { ellipsize } from '../text/cut.ts'
import { distance } from '../text/distance.ts'
import type { CspPolicy } from './parse.ts'
import { type Problem, problem } from './problem.ts'
import { has, isHash, isNonce } from './sources.ts'
import { dead, headerOnly, keywords, directives as known, unlistedDirectives } from './vocabulary.ts'

const nearest = (name: string): string | undefined => [...known].find(one => distance(name, one, 2) <= 2)

const aboutName = (name: string, source: CspPolicy['source']): Problem[] => {
  const instead = Object.hasOwn(dead, name) ? dead[name] : undefined
  if (instead)
    return [problem('low', 'dead_directive', name, `${name} has no effect: ${instead}.`, `remove ${name}`)]
  if (!known.has(name)) {
    const suggestion = nearest(name)
    const message = `${name.slice(0, 60)} is no directive, so it is ignored${suggestion ? `; ${suggestion} may be meant` : ''}.`
    return [problem('medium', 'unknown_directive', name.slice(0, 60), message, suggestion ?? null)]
  }
  if (source === 'meta' && headerOnly.has(name))
    return [
      problem(
        'medium',
        'ignored_in_meta',
        name,
        `${name} has no effect in a meta element.`,
        'send it as a header',
      ),
    ]
  return []
}

/** At least 128 bits, which is 22 characters of base64 (CSP3 §8.1). */
const shortNonce = 22

const aboutSource = (name: string, source: string): Problem[] => {
  const bare = source.toLowerCase()
  if (keywords.has(bare)) {
    const message = `${bare} without quotes is a host name, not the keyword.`
    return [problem('high', 'unquoted_keyword', name, message, `'${bare}'`)]
  }
  if (known.has(bare.replace(/:$/, '')))
    return [
      problem(
        'high',
        'missing_semicolon',
        name,
        `${bare} stands inside ${name}; a semicolon is missing.`,
        `; ${bare}`,
      ),
    ]
  if (!bare.startsWith("'") && !bare.endsWith("'")) return []
  if (bare.startsWith("'nonce-")) {
    if (!isNonce(source))
      return [problem('high', 'bad_nonce', name, 'A nonce is not well formed and matches nothing.')]
    if (source.length - "'nonce-'".length >= shortNonce) return []
    return [
      problem(
        'medium',
        'short_nonce',
        name,
        'The nonce is short enough to be guessed.',
        'use 16 random bytes',
      ),
    ]
  }
  if (bare.startsWith("'sha"))
    return isHash(source)
      ? []
      : [problem('high', 'bad_hash', name, 'A hash is not well formed and matches nothing.')]
  if (keywords.has(bare.slice(1, -1))) return []
  const message = `${clipSource(source)} is no keyword, so it is ignored.`
  return [problem('medium', 'unknown_keyword', name, message)]
}

const clipSource = (source: string) => ellipsize(source, 60)

const aboutList = (name: string, list: readonly string[]): Problem[] => {
  if (unlistedDirectives.has(name)) return []
  const problems = list.flatMap(source => aboutSource(name, source))
  if (list.length > 1 && has(list, "'none'"))
    problems.push(
      problem(
        'medium',
        'none_with_others',
        name,
        "'none' is ignored beside other sources.",
        `${name} 'none'`,
      ),
    )
  return problems
}

/** Lists a policy's misspelt terms, and those void in their place. */
export const syntaxProblems = ({ directives, source, repeated }: CspPolicy): Problem[] => [
  ...[...new Set(repeated)].map(name =>
    problem(
      'medium',
      'repeated_directive',
      name.slice(0, 60),
      `${name.slice(0, 60)} comes again; only the first counts.`,
      'merge them',
    ),
  ),
  ...Object.entries(directives).flatMap(([name, list]) => [
    ...aboutName(name, source),
    ...aboutList(name, list),
  ]),
]

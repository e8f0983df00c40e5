import { crawlerNames, isEveryone } from './agent.ts'
import type { RobotsDirective } from './directive.ts'
import { matchesPath, normalizeEscapes } from './pattern.ts'

/** Ruling on a crawler's fetch of a path, and the rule that decides; null where no rule does. */
export type Ruling = { allowed: boolean; rule: RobotsDirective | null }

type Best = { priority: number; rule: RobotsDirective | null }

type Step =
  | { field: 'user-agent'; names: readonly string[]; everyone: boolean }
  | { field: 'allow' | 'disallow'; rule: RobotsDirective; priority: number }

type Score = { allow: Best; disallow: Best }

const blank = (): Score => ({ allow: { priority: 0, rule: null }, disallow: { priority: 0, rule: null } })

/** An allowed `index.html` allows the directory too. */
const indexDirectory = (pattern: string): string | undefined => {
  const slash = pattern.lastIndexOf('/')
  return slash >= 0 && pattern.startsWith('/index.htm', slash) ? `${pattern.slice(0, slash + 1)}$` : undefined
}

/** The length of what matches: the more bytes a rule has, the more it counts. 0 where it does not match or is empty. */
const rulePriority = ({ field, value }: RobotsDirective, path: string): number => {
  const pattern = normalizeEscapes(value)
  if (matchesPath(path, pattern)) return pattern.length
  const directory = field === 'allow' ? indexDirectory(pattern) : undefined
  return directory !== undefined && matchesPath(path, directory) ? directory.length : 0
}

const decide = ({ allow, disallow }: Score): Ruling =>
  disallow.priority > allow.priority
    ? { allowed: false, rule: disallow.rule }
    : { allowed: true, rule: allow.rule }

/**
 * Prepares the rules of a robots.txt for one path, and says for any crawler whether it may fetch it: all groups that name
 * it count as one, those for everyone only when none does; the longest match wins, allow on a tie (RFC 9309 §2.2).
 */
export const rulingOn = (
  directives: readonly RobotsDirective[],
  pathAndQuery: string,
): ((agent: string) => Ruling) => {
  const path = normalizeEscapes(pathAndQuery)
  const steps = directives.flatMap((directive): Step[] => {
    const { field, value } = directive
    if (field === 'user-agent') return [{ field, names: crawlerNames(value), everyone: isEveryone(value) }]
    if (field !== 'allow' && field !== 'disallow') return []
    return [{ field, rule: directive, priority: rulePriority(directive, path) }]
  })

  return userAgent => {
    const agent = userAgent.toLowerCase()
    const own = blank()
    const everyone = blank()
    let isNamed = false
    let group = { own: false, everyone: false, closed: false }
    for (const step of steps) {
      if (step.field === 'user-agent') {
        if (group.closed) group = { own: false, everyone: false, closed: false }
        if (step.everyone) group.everyone = true
        else if (step.names.includes(agent)) group.own = isNamed = true
      } else if (group.own || group.everyone) {
        group.closed = true
        const best = (group.own ? own : everyone)[step.field]
        if (step.priority > best.priority) Object.assign(best, { priority: step.priority, rule: step.rule })
      }
    }
    return decide(isNamed ? own : everyone)
  }
}

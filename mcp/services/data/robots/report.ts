import { clean } from '../../../lib/text/clean.ts'
import { aiBots } from './ai-bots.ts'
import { directivesIn, readLines } from './directive.ts'
import { faultsIn } from './faults.ts'
import { type Group, groupsOf } from './groups.ts'
import { bytesOf, textOf } from './line.ts'
import { pathOf } from './pattern.ts'
import { rulingOn } from './ruling.ts'
import { signalsIn } from './signals.ts'

/** What is asked of a robots.txt: may this crawler fetch this path? */
export type Question = { body: Uint8Array; path: string; userAgent: string }

/** This module, for the worker that large files are read in. */
export const here = import.meta.url

const most = { groups: 1000, rules: 3000, listed: 200 }

const shown = (text: string): string => clean(text, 500) ?? ''

/** Groups up to the limit of all their rules together. */
const listed = (groups: readonly Group[]): Group[] => {
  let room = most.rules
  return groups.slice(0, most.groups).map(({ userAgents, rules, ...group }) => {
    const kept = rules.slice(0, room)
    room -= kept.length
    return {
      userAgents: userAgents.slice(0, most.listed).map(shown),
      rules: kept.map(rule => ({ ...rule, path: shown(rule.path) })),
      ...group,
    }
  })
}

/** All that a robots.txt says, with the verdict on one path for one crawler and for the AI crawlers. */
export const report = ({ body, path, userAgent }: Question) => {
  const lines = readLines(body)
  const directives = directivesIn(lines)
  const { groups, errors } = groupsOf(directives)
  const ruling = rulingOn(directives, pathOf(bytesOf(path)))
  const { allowed, rule } = ruling(userAgent)
  const values = (wanted: (field: string, name: string) => boolean) =>
    directives
      .filter(({ field, name }) => wanted(field, name))
      .flatMap(({ value }) => clean(textOf(value)) ?? [])
  const sitemaps = [...new Set(values(field => field === 'sitemap'))]
  const syntaxErrors = [...faultsIn(lines), ...errors].sort((a, b) => a.line - b.line)
  const ruleCount = groups.reduce((sum, { rules }) => sum + rules.length, 0)
  const signals = signalsIn(directives)
  return {
    groups: listed(groups),
    groupCount: groups.length,
    ruleCount,
    sitemaps: sitemaps.slice(0, most.listed),
    sitemapCount: sitemaps.length,
    hosts: values((_, name) => name.toLowerCase() === 'host').slice(0, most.listed),
    allowed,
    matchedRule: rule && `${rule.field}: ${shown(textOf(rule.value))}`,
    line: rule?.line ?? null,
    aiBots: Object.fromEntries(aiBots.map(bot => [bot, ruling(bot).allowed])),
    contentSignals: signals.slice(0, most.listed).map(signal => ({
      ...signal,
      userAgents: signal.userAgents.map(shown),
      path: signal.path && shown(signal.path),
    })),
    syntaxErrors: syntaxErrors
      .slice(0, most.listed)
      .map(error => ({ ...error, message: shown(error.message) })),
    errorCount: syntaxErrors.length,
    cut: groups.length > most.groups || ruleCount > most.rules,
  }
}

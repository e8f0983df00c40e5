import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { RobotsDirective } from './directive.ts'
import { directivesIn, parseRobotsLines } from './directive.ts'
import { faultsIn } from './faults.ts'
import { type RobotsGroup, toGroups } from './groups.ts'
import { fromBinaryString, toBinaryString } from './line.ts'
import { rulingOn } from './ruling.ts'

/** Uses that a group of crawlers may make of what it fetched: a Content-Signal or Content-Usage line. */
type ContentSignal = {
  line: number
  user_agents: string[]
  path: string | null
  signals: Record<string, string>
}

const fields = new Set(['content-signal', 'content-usage'])

const parseSignal = (value: string): Pick<ContentSignal, 'path' | 'signals'> => {
  const [, path = null, list = ''] = /^(?:(\/\S{0,2000})\s+)?(.*)$/s.exec(value) ?? []
  const pairs = list
    .slice(0, 2000)
    .split(/[,;]/)
    .map(pair => /^\s*([a-z][\w-]{0,60})\s*=\s*"?([\w.-]{1,60})/i.exec(pair))
    .flatMap(pair => (pair ? [[pair[1]?.toLowerCase() ?? '', pair[2]?.toLowerCase() ?? ''] as const] : []))
  return { path, signals: Object.fromEntries(pairs) }
}

/** The usage preferences of a robots.txt (contentsignals.org, and the IETF's draft-ietf-aipref-attach). */
const signalsIn = (directives: readonly RobotsDirective[]): ContentSignal[] => {
  const signals: ContentSignal[] = []
  let userAgents: string[] = []
  let groupEnded = true
  for (const { field, name, value, line } of directives) {
    if (field === 'user-agent') {
      if (groupEnded) userAgents = []
      groupEnded = false
      userAgents = [...userAgents.slice(0, 50), fromBinaryString(value)]
    }
    if (field === 'allow' || field === 'disallow') groupEnded = true
    if (field === 'other' && fields.has(name.toLowerCase()))
      signals.push({ line, user_agents: userAgents, ...parseSignal(fromBinaryString(value)) })
  }
  return signals
}

/** Product tokens by which AI companies fetch pages, or by which a site keeps its pages out of their training. */
const aiBots = factTable(new URL('./data/ai-bots.json', import.meta.url), z.array(z.string()))

/** Question to a robots.txt: may this crawler fetch this path, which begins with a slash? */
export type Question = { body: Uint8Array; path: string; user_agent: string }

/** This module, for the worker that large files are read in. */
export const here = import.meta.url

const limits = { groups: 1000, rules: 3000, listed: 200 }

const toPrintable = (text: string): string => clean(text, 500) ?? ''

/** Groups up to the limit of all their rules together. */
const listGroups = (groups: readonly RobotsGroup[]): RobotsGroup[] => {
  let room = limits.rules
  return groups.slice(0, limits.groups).map(({ user_agents: userAgents, rules, ...group }) => {
    const listedRules = rules.slice(0, room)
    room -= listedRules.length
    return {
      user_agents: userAgents.slice(0, limits.listed).map(toPrintable),
      rules: listedRules.map(rule => ({ ...rule, path: toPrintable(rule.path) })),
      ...group,
    }
  })
}

/** All that a robots.txt says, with the verdict on one path for one crawler and for the AI crawlers. */
export const report = ({ body, path, user_agent: userAgent }: Question) => {
  const lines = parseRobotsLines(body)
  const directives = directivesIn(lines)
  const { groups, errors } = toGroups(directives)
  const ruling = rulingOn(directives, toBinaryString(path))
  const { allowed, rule } = ruling(userAgent)
  const values = (matchesField: (field: string, name: string) => boolean) =>
    directives
      .filter(({ field, name }) => matchesField(field, name))
      .flatMap(({ value }) => clean(fromBinaryString(value)) ?? [])
  const sitemaps = [...new Set(values(field => field === 'sitemap'))]
  const syntaxErrors = [...faultsIn(lines), ...errors].sort((a, b) => a.line - b.line)
  const ruleCount = groups.reduce((sum, { rules }) => sum + rules.length, 0)
  const signals = signalsIn(directives)
  return {
    groups: listGroups(groups),
    group_count: groups.length,
    rule_count: ruleCount,
    sitemaps: sitemaps.slice(0, limits.listed),
    sitemap_count: sitemaps.length,
    hosts: values((_, name) => name.toLowerCase() === 'host').slice(0, limits.listed),
    allowed,
    matched_rule: rule && `${rule.field}: ${toPrintable(fromBinaryString(rule.value))}`,
    line: rule?.line ?? null,
    ai_bots: Object.fromEntries(aiBots().map(bot => [bot, ruling(bot).allowed])),
    content_signals: signals.slice(0, limits.listed).map(signal => ({
      ...signal,
      user_agents: signal.user_agents.map(toPrintable),
      path: signal.path && toPrintable(signal.path),
    })),
    syntax_errors: syntaxErrors
      .slice(0, limits.listed)
      .map(error => ({ ...error, message: toPrintable(error.message) })),
    error_count: syntaxErrors.length,
    cut: groups.length > limits.groups || ruleCount > limits.rules,
  }
}

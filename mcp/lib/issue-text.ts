import type { z } from 'zod'
import { findNearest } from './text/nearest.ts'

type Issue = z.core.$ZodRawIssue

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  null: 'null',
  date: 'a date',
  nonoptional: 'a value',
}

const kindText = (kind: string): string => kinds[kind] ?? kind

const inputKind = (input: unknown): string => {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'number' && !Number.isFinite(input)) return 'no number'
  return kindText(typeof input)
}

const typeText = ({ input }: Issue, expected: string): string => {
  if (input === undefined) return `is missing: ${kindText(expected)} is needed`
  const actual = inputKind(input)
  return `must be ${kindText(expected)}${actual === kindText(expected) ? '' : `, not ${actual}`}`
}

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address, such as ada@example.com',
  url: 'an absolute address, such as https://example.com/',
  uuid: 'a UUID',
  date: 'a date, such as 2026-01-31',
  time: 'a time, such as 12:30:00',
  datetime: 'a date and time, such as 2026-01-31T12:30:00Z',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  json_string: 'JSON',
  base64: 'base64',
  base64url: 'base64url',
}

const units = (origin: string, count: number): string => {
  if (origin === 'string') return count === 1 ? 'character' : 'characters'
  if (origin === 'file') return 'bytes'
  return count === 1 ? 'entry' : 'entries'
}

const isCounted = (origin: string): boolean => !['number', 'int', 'bigint', 'date'].includes(origin)

const boundText = (word: 'least' | 'most', origin: string, bound: unknown, inclusive = true): string => {
  const count = Number(bound)
  if (isCounted(origin)) return `must have at ${word} ${count} ${units(origin, count)}`
  if (inclusive) return `must be at ${word} ${bound}`
  return `must be ${word === 'least' ? 'more' : 'less'} than ${bound}`
}

const choiceText = (values: readonly unknown[], input: unknown): string => {
  const names = values.map(String)
  const list = names.slice(0, 20).join(', ')
  const nearest = typeof input === 'string' ? findNearest(input.toLowerCase(), names) : undefined
  const guess = nearest === undefined || nearest === input ? '' : `; did you mean ${nearest}?`
  return `must be ${names.length === 1 ? list : `one of ${list}`}${names.length > 20 ? ' and others' : ''}${guess}`
}

/** Lists demands of a union's forms that ask for one kind of value. */
const unionText = ({ errors }: { errors?: readonly (readonly z.core.$ZodIssue[])[] }): string => {
  const needs = (errors ?? []).flatMap(([first, ...more]) => {
    if (!first || more.length > 0 || first.path.length > 0) return []
    if (first.code === 'invalid_type') return [kindText(first.expected)]
    return first.code === 'invalid_value' ? first.values.slice(0, 20).map(String) : []
  })
  return needs.length > 0
    ? `must be ${[...new Set(needs)].join(' or ')}`
    : 'is in none of the forms that it may have'
}

/**
 * What is wrong with a value, as people say it: `must be a number, not text`. An error map of zod, whose own words are for
 * programmers; what a schema says itself goes before it.
 */
export const issueText = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue, String(issue.expected))
    case 'invalid_value':
      return issue.input === undefined
        ? `is missing: it ${choiceText(issue.values as unknown[], undefined)}`
        : choiceText(issue.values as unknown[], issue.input)
    case 'too_small':
      if (issue.input === '' && issue.minimum === 1) return 'must not be empty'
      return boundText('least', String(issue.origin), issue.minimum, issue.inclusive !== false)
    case 'too_big':
      return boundText('most', String(issue.origin), issue.maximum, issue.inclusive !== false)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format': {
      const format = formats[String(issue.format)]
      return format ? `must be ${format}` : 'is not in the form that the description says'
    }
    case 'invalid_union':
      return unionText(issue as { errors?: readonly (readonly z.core.$ZodIssue[])[] })
    case 'unrecognized_keys':
      return `has no field ${(issue.keys as string[]).slice(0, 5).join(', ')}`
    default:
      return 'does not fit'
  }
}

import { describe, expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import type { Example, Rule } from '../../../../mcp/services/proof/review/rule.ts'
import { rules } from '../../../../mcp/services/proof/review/rules/all.ts'

const read = ({ type }: Rule, example: Example) =>
  typeof example === 'string'
    ? readArtifact(type, example)
    : readArtifact(example.type, example.artifact, example.context)

const textOf = (example: Example) => (typeof example === 'string' ? example : example.artifact)

describe.each(rules.map(rule => ({ id: rule.id, rule })))('$id', ({ rule }) => {
  test('finds what its examples show', () => {
    const missed = rule.hits.filter(example => rule.check(read(rule, example)).length === 0)
    expect(missed.map(textOf)).toEqual([])
  })

  test('leaves alone what only looks alike', () => {
    const struck = rule.misses.filter(example =>
      rule
        .check(read(rule, example))
        .some(({ severity = rule.severity }) => !/^(?:low|info)$/.test(severity)),
    )
    expect(struck.map(textOf)).toEqual([])
  })
})

test('each rule is there once', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
})

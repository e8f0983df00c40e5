import { describe, expect, test } from 'vitest'
import { skillsIn } from '../../../mcp/services/data/bundle/part.ts'
import data from '../../../mcp/services/data/service.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const world = opened(startData)

const skills = skillsIn(data)

/** Skills in whose answers nobody but the caller and we have a word. A new one is marked unless it is listed here. */
const unmarked = ['gas-tracker', 'json-repair', 'multichain-balance', 'text-entities']

test('every skill is marked but those that hold no words of strangers', () => {
  expect(skills).toHaveLength(29)
  const names = skills.filter(({ untrusted }) => !untrusted).map(({ name }) => name)
  expect(names.sort()).toEqual(unmarked)
})

describe.each(skills.map(({ name, untrusted, examples, own }) => ({ name, untrusted, examples, own })))(
  '$name',
  ({ name, untrusted, examples, own }) => {
    const mark = untrusted ? true : undefined
    const [input = {}] = examples

    test('says whether its answer holds words of strangers, whatever fields are asked for', async () => {
      expect((await world.ask(name, input)).untrusted).toBe(mark)
      const [field] = Object.keys(own.shape)
      const answer = await world.ask(name, { ...input, fields: field })
      expect([answer.untrusted, Object.keys(answer).includes(String(field))]).toEqual([mark, true])
      expect((await world.ask(name, { ...input, fields: 'skill,meta' })).untrusted).toBe(mark)
    })

    test('says so in a batch, too', async () => {
      const { argument } = skills.find(skill => skill.name === name) ?? {}
      const { [String(argument)]: value, ...options } = input as Record<string, unknown>
      const fields = Object.keys(own.shape)[0]
      const batch = await world.ask('batch', { run: name, inputs: [value ?? 'eth'], options, fields })
      expect([batch.untrusted, batch.ok_count]).toEqual([mark, 1])
      expect(Object.keys((batch.results as { result: object }[])[0]?.result ?? {})).toEqual([fields])
    })
  },
)

test('bundles are marked', async () => {
  const report = await world.ask('wallet-report', { address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })
  expect(report.untrusted).toBe(true)
})

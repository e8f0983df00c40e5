import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exampleText } from '../../../mcp/kernel/help.ts'
import { skillsIn } from '../../../mcp/services/data/bundle/part.ts'
import data from '../../../mcp/services/data/service.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const world = opened(startData)

const skills = skillsIn(data)
const examples = skills.flatMap(tool => tool.examples.map(input => ({ name: tool.name, input })))

describe.each(examples)('$name $input', ({ name, input }) => {
  test('works, with the envelope of all skills', async () => {
    const output = await world.ask(name, input)
    expect(output).toMatchObject({
      skill: name,
      input: Object.values(input)[0],
      meta: {
        cached: expect.any(Boolean),
        age_seconds: expect.any(Number),
        duration_ms: expect.any(Number),
        fetched_at: expect.stringMatching(/Z$/),
      },
    })
  })

  test('is free over REST only with free=1', async () => {
    await expect(world.ask(name, input, { channel: 'rest', free: true })).resolves.toMatchObject({
      skill: name,
    })
    expect((await refused(world.ask(name, input, { channel: 'rest' }))).code).toBe('unavailable')
  })
})

describe.each(skills.map(tool => ({ tool, name: tool.name })))('$name', ({ tool, name }) => {
  test('is started by the text "<skill-id> <value>" and answers at its GET route', () => {
    expect(exampleText(tool)).toMatch(new RegExp(`^${name} .`, 's'))
    expect(tool.rest?.routes[0]).toBe(`GET /skills/${name}`)
  })

  test('has schemas that clients can read', () => {
    for (const io of ['input', 'output'] as const) {
      const schema = z.toJSONSchema(tool[io], { io })
      expect(schema.type).toBe('object')
      for (const property of Object.values(schema.properties ?? {}))
        expect(property).toMatchObject({ description: expect.any(String) })
    }
  })

  test('describes itself in 400 characters', () => expect(tool.description.length).toBeLessThanOrEqual(400))
})

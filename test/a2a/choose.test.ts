import { describe, expect, test } from 'vitest'
import { cardFacts } from '../../a2a-adapter/card/facts.ts'
import { choose, compileSkills } from '../../a2a-adapter/skills/choose.ts'
import type { World } from '../../mcp/kernel/call.ts'
import type { ToolError } from '../../mcp/kernel/error.ts'
import { listSkills } from '../../mcp/kernel/help.ts'
import { service } from '../../mcp/kernel/service.ts'
import { fixture } from './fixture.ts'

const skills = compileSkills(fixture)

type Message = {
  parts: (string | object)[]
  metadata?: Record<string, unknown>
  params?: Record<string, unknown>
}

const chosen = ({ parts, metadata = {}, params = {} }: Message) => {
  const read = parts.map(part => (typeof part === 'string' ? { text: part } : { data: part }))
  const { tool, input } = choose(skills, { messageId: 'm', role: 'user', parts: read, metadata }, [
    metadata,
    params,
  ])
  return [tool.name, input]
}

const refusal = (message: Message) => {
  try {
    return chosen(message)
  } catch (error) {
    const { extra, message: text } = error as ToolError
    return [text, extra.hint]
  }
}

const domain = 'example.com'

describe('a data part selects', () => {
  test.each(['skill', 'skillId', 'skill_id', 'action'])('by %s, the rest is input', key => {
    expect(chosen({ parts: [{ [key]: 'dns-lookup', domain }] })).toEqual(['dns-lookup', { domain }])
  })

  test.each(['args', 'input', 'params'])('with the input in %s, merged with what stands beside it', key => {
    const data = { skill: 'dns-lookup', depth: 2, [key]: { domain } }
    expect(chosen({ parts: [data] })).toEqual(['dns-lookup', { depth: 2, domain }])
  })

  test('before metadata and before text', () => {
    const metadata = { skill: 'discover' }
    expect(chosen({ parts: ['help', { skill: 'dns-lookup', domain }], metadata })[0]).toBe('dns-lookup')
  })

  test('with value for the first field of the first template', () => {
    expect(chosen({ parts: [{ skill: 'dns-lookup', value: domain }] })).toEqual(['dns-lookup', { domain }])
  })

  test('without taking the input fields "action" and "input" of the tool away', () => {
    const data = { skill: 'manage', action: 'list', input: { a: 1 } }
    expect(chosen({ parts: [data] })).toEqual(['manage', { action: 'list', input: { a: 1 } }])
  })

  test('and several data parts are one, the first wins', () => {
    const parts = [{ skill: 'dns-lookup' }, { domain, skill: 'discover' }]
    expect(chosen({ parts })).toEqual(['dns-lookup', { domain }])
  })

  test.each(['skill', 'skillId', 'skill_id', 'action'])(
    'and an unknown %s is refused with the skill ids',
    key => {
      const [text, hint] = refusal({ parts: ['help', { [key]: 'nope' }].slice(1) })
      expect(text).toBe(`${key}: there is no skill "nope"`)
      expect(hint).toContain('dns-lookup, discover, deal, manage')
    },
  )

  test('and names of the prototype are no skills', () => {
    expect(refusal({ parts: [{ skill: 'constructor' }] })[0]).toContain('no skill')
    expect(refusal({ parts: [{ skill: '__proto__' }] })[0]).toContain('no skill')
  })
})

describe('metadata selects', () => {
  test('by skill of the message, before that of the request, before text', () => {
    const message = {
      parts: ['discover:web'],
      metadata: { skillId: 'dns-lookup' },
      params: { skill: 'discover' },
    }
    expect(chosen(message)).toEqual(['dns-lookup', { domain: 'discover:web' }])
    expect(chosen({ parts: ['web'], params: { skill: 'discover' } })).toEqual([
      'discover',
      { capability: 'web' },
    ])
  })

  test('and the text is read by a template of the skill, or is its first field', () => {
    const metadata = { skill: 'dns-lookup' }
    expect(chosen({ parts: [`dns-lookup ${domain}`], metadata })[1]).toEqual({ domain })
    expect(chosen({ parts: [domain], metadata })[1]).toEqual({ domain })
  })

  test('and a data part without a selector is its input, "action" included', () => {
    const metadata = { skill: 'manage' }
    expect(chosen({ parts: [{ action: 'cancel' }], metadata })).toEqual(['manage', { action: 'cancel' }])
  })

  test('and an unknown skill is refused', () => {
    expect(refusal({ parts: ['help'], metadata: { skill: 'nope' } })[0]).toContain('metadata.skill')
  })
})

describe('text selects', () => {
  const texts: [text: string, tool: string, input: object][] = [
    ['dns-lookup example.com', 'dns-lookup', { domain }],
    ['  DNS-Lookup   example.com  ', 'dns-lookup', { domain }],
    ['dns-lookup: example.com', 'dns-lookup', { domain }],
    ['dns-lookup:example.com', 'dns-lookup', { domain }],
    ['dns-lookup\nexample.com', 'dns-lookup', { domain }],
    ['dns-lookup example.com chain=base', 'dns-lookup', { domain, chain: 'base' }],
    ['dns-lookup example.com depth=3 deep=TRUE', 'dns-lookup', { domain, depth: 3, deep: true }],
    ['dns-lookup domain=example.com depth=3', 'dns-lookup', { domain, depth: 3 }],
    ['dns-lookup example.com color=red', 'dns-lookup', { domain: 'example.com color=red' }],
    ['dns-lookup example.com depth=many', 'dns-lookup', { domain, depth: 'many' }],
    ['dns-lookup', 'dns-lookup', {}],
    ['dns-lookup:', 'dns-lookup', {}],
    ['discover:web search', 'discover', { capability: 'web search' }],
    ['Discover: web', 'discover', { capability: 'web' }],
    ['deal 7 says let us\ntalk', 'open-deal', { id: '7', words: 'let us\ntalk' }],
    ['deal 7 SAYS x=y', 'open-deal', { id: '7', words: 'x=y' }],
    ['help', 'listen', {}],
    ['{"skill":"dns-lookup","value":"example.com"}', 'dns-lookup', { domain }],
    ['{"action":"discover","args":{"capability":"web"}}', 'discover', { capability: 'web' }],
    ['deal 7', 'listen', { text: 'deal 7' }],
    ['discovery of things', 'listen', { text: 'discovery of things' }],
    ['dns-lookups example.com', 'listen', { text: 'dns-lookups example.com' }],
    ['Hello there', 'listen', { text: 'Hello there' }],
    ['{"not": "a selector"}', 'listen', { text: '{"not": "a selector"}' }],
    ['{broken', 'listen', { text: '{broken' }],
    ['', 'listen', {}],
  ]
  test.each(texts)('%j starts %s', (text, tool, input) => {
    expect(chosen({ parts: [text] })).toEqual([tool, input])
  })

  test('and a data part without a selector supplies input', () => {
    expect(chosen({ parts: ['dns-lookup', { domain }] })).toEqual(['dns-lookup', { domain }])
    expect(chosen({ parts: ['dns-lookup a.example', { depth: 1 }] })).toEqual([
      'dns-lookup',
      { domain: 'a.example', depth: 1 },
    ])
  })

  test('and JSON text that names an unknown skill is refused', () => {
    expect(refusal({ parts: ['{"skill":"nope"}'] })[0]).toContain('no skill "nope"')
  })

  test('and where no tool has a template, text chooses nothing, whatever it says or metadata says', () => {
    const tools = fixture.tools.map(({ a2a, ...tool }) => ({
      ...tool,
      ...(a2a && { a2a: { ...a2a, text: [] } }),
    }))
    const silent = compileSkills(service({ ...fixture, tools }))
    for (const text of ['dns-lookup example.com', '{"skill":"dns-lookup","domain":"x"}', 'help']) {
      const parts = [{ text }]
      const found = choose(silent, { messageId: 'm', role: 'user', parts }, [{ skill: 'dns-lookup' }])
      expect(found).toMatchObject({ input: { text }, chosen: false })
      expect(found.tool.name).toBe('listen')
      const beside = [...parts, { data: { color: 'red' } }]
      expect(choose(silent, { messageId: 'm', role: 'user', parts: beside }, []).tool.name).toBe('listen')
    }
  })
})

test('two tools with one skill id, or a fallback that is not there, are refused at start', () => {
  const [first] = fixture.tools
  if (!first) throw new Error('the fixture has tools')
  expect(() => compileSkills({ ...fixture, tools: [first, first] })).toThrow('two tools')
  expect(() => compileSkills({ ...fixture, fallback: 'gone' })).toThrow('fallback')
})

describe('a skill of several operations', () => {
  const group = { id: 'dns', name: 'DNS', description: 'Reads names.', tags: ['dns'] }
  const tools = fixture.tools.map(tool => {
    if (tool.name === 'dns-lookup') return { ...tool, a2a: { ...tool.a2a, group: 'dns' } }
    return tool.name === 'manage' ? { ...tool, a2a: { group: 'dns' } } : tool
  })
  const grouped = { ...fixture, tools, skillGroups: [group] }
  const chosenIn =
    (skills: ReturnType<typeof compileSkills>) =>
    (data: object | string, metadata: Record<string, unknown> = {}) => {
      const parts = [typeof data === 'string' ? { text: data } : { data }]
      const { tool, input } = choose(skills, { messageId: 'm', role: 'user', parts, metadata }, [metadata])
      return [tool.name, input]
    }
  const chosen = chosenIn(compileSkills(grouped))
  const refusal = (...message: Parameters<typeof chosen>) => {
    try {
      return chosen(...message)
    } catch (error) {
      const { extra, message: text } = error as ToolError
      return [text, extra.hint]
    }
  }

  test.each(['operation', 'tool', 'action'])('is called with %s, which is no input', key => {
    expect(chosen({ skill: 'dns', [key]: 'dns-lookup', domain })).toEqual(['dns-lookup', { domain }])
    expect(chosen({ skill: 'dns', [key]: 'dns-lookup', args: { domain } })).toEqual([
      'dns-lookup',
      { domain },
    ])
  })

  test('is called by the name of an operation, by metadata and by text, too', () => {
    expect(chosen({ skill: 'dns-lookup', domain })).toEqual(['dns-lookup', { domain }])
    expect(chosen({ action: 'dns', operation: 'manage', input: { a: 1 } })).toEqual([
      'manage',
      { input: { a: 1 } },
    ])
    expect(chosen({ domain }, { skill: 'dns', operation: 'dns-lookup' })).toEqual(['dns-lookup', { domain }])
    expect(chosen(domain, { skill: 'dns', operation: 'dns-lookup' })).toEqual(['dns-lookup', { domain }])
    expect(chosen(`dns-lookup ${domain}`)).toEqual(['dns-lookup', { domain }])
  })

  test('lists its operations to who names none, or a wrong one', () => {
    const hint = 'The operations are: dns-lookup, manage.'
    expect(refusal({ skill: 'dns', domain })).toEqual([expect.stringContaining('several'), hint])
    expect(refusal({ skill: 'dns', operation: 'nope' })).toEqual([expect.stringContaining('"nope"'), hint])
    expect(refusal(domain, { skill: 'dns' })[1]).toBe(hint)
  })

  test('has one operation that a message without a name gets, where it says so', () => {
    const chosen = chosenIn(compileSkills({ ...grouped, skillGroups: [{ ...group, default: 'dns-lookup' }] }))
    expect(chosen({ skill: 'dns', domain })).toEqual(['dns-lookup', { domain }])
    expect(chosen(domain, { skill: 'dns' })).toEqual(['dns-lookup', { domain }])
  })

  test('is refused at start without a declaration, without tools, or with a default that is none of them', () => {
    expect(() => compileSkills({ ...grouped, skillGroups: [] })).toThrow('not declared')
    expect(() => compileSkills({ ...fixture, skillGroups: [group] })).toThrow('no tool is')
    expect(() => compileSkills({ ...grouped, skillGroups: [{ ...group, default: 'gone' }] })).toThrow(
      '"gone"',
    )
  })

  test('is one skill of the card, with an example of each operation, and of the help', () => {
    expect(listSkills(grouped).find(({ id }) => id === 'dns')).toMatchObject({
      group,
      tools: [{ name: 'dns-lookup' }, { name: 'manage' }],
    })
    const world = { base: () => 'http://127.0.0.1/x', site: { organization: 'x', url: 'http://127.0.0.1' } }
    const { skills } = cardFacts(world as unknown as World, grouped)
    expect(skills.filter(({ id }) => ['dns', 'manage', 'dns-lookup'].includes(id))).toEqual([
      {
        ...group,
        examples: ['dns-lookup a.example', '{"skill":"dns","operation":"manage"}'],
        inputModes: undefined,
        outputModes: undefined,
      },
    ])
  })
})

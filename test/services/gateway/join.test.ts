import { describe, expect, test } from 'vitest'
import { apiKeysIn } from '../../../mcp/kernel/person.ts'
import { membersIn } from '../../../mcp/services/gateway/member/member.ts'
import { opened } from '../../opened.ts'
import { refused, startTown } from './town.ts'

const town = opened(startTown)

const ada = { external_id: 'ada.example.com', name: 'Ada', capabilities: ['Invoice  Extraction', 'ocr'] }

describe('joining', () => {
  test('gives a key once, which is a Bearer credential and kept as a hash alone', async () => {
    const joined = await town.ask('join_svc', ada)
    expect(joined).toMatchObject({
      external_id: ada.external_id,
      capabilities: ['invoice-extraction', 'ocr'],
    })
    const key = String(joined.agent_key)
    expect(key).toMatch(/^gwa_[A-Za-z0-9_-]{43,}$/)
    const { store } = town.world.ports
    const kept = store && (await membersIn(store).get(String(joined.agent_id)))
    const query = { index: 'holder', where: { prefix: 'gwa', holder: String(joined.agent_id) } }
    const ownKeys = store && (await apiKeysIn(store).find(query))
    expect(JSON.stringify([kept, ownKeys])).not.toContain(key)
    expect(ownKeys?.rows).toMatchObject([{ id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) }])
    const read = town.ask('get_action_status', { action_id: 'act_0' }, { credentials: { bearer: key } })
    expect(await refused(read)).toMatchObject({ status: 404 })
    expect(JSON.stringify(town.world.records)).not.toContain(key)
  })

  test('makes a member known by its own id and where it is reached', async () => {
    const agent_card_url = 'https://eve.example.com/.well-known/agent-card.json'
    const eve = { external_id: 'did:web:eve.example.com', name: 'Eve', capabilities: ['haiku'] }
    expect(await town.ask('join_svc', { ...eve, agent_card_url })).toMatchObject({ agent_card_url })
    const { agent_id } = await town.ask('join_svc', { ...eve, external_id: 'shy-eve' })
    const { candidates } = await town.ask('discover_members', { capability: 'haiku' })
    expect(candidates).toHaveLength(2)
    expect(candidates).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ external_id: eve.external_id, agent_card_url }),
        expect.objectContaining({ identifier: agent_id, external_id: 'shy-eve', agent_card_url: null }),
      ]),
    )
  })

  test('twice under one id is a conflict that shows no key, also when both come at once', async () => {
    const refusal = await refused(town.ask('join_svc', { ...ada, name: 'Eve' }))
    expect(refusal).toMatchObject({ status: 409, reason: 'logical_identity_exists' })
    expect(JSON.stringify(refusal)).not.toContain('gwa_')
    const both = { external_id: 'twin.example.com', name: 'Twin', capabilities: ['x'] }
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => town.ask('join_svc', both)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test.each([
    ['no capability', { capabilities: [] }, 'capabilities'],
    ['33 capabilities', { capabilities: Array.from({ length: 33 }, (_, nth) => `c${nth}`) }, 'capabilities'],
    ['an empty capability', { capabilities: [' '] }, 'capabilities.0'],
    ['an over-long capability', { capabilities: ['x'.repeat(129)] }, 'capabilities.0'],
    ['a name of marks that nobody sees', { name: '\u202e\u200b' }, 'name'],
    ['an id with a space', { external_id: 'a b' }, 'external_id'],
    ['an over-long id', { external_id: 'x'.repeat(129) }, 'external_id'],
    ['a card that is no https address', { agent_card_url: 'http://example.com/card.json' }, 'agent_card_url'],
    ['an unknown field', { role: 'admin' }, 'role'],
  ])('%s is refused by name', async (_, more, path) => {
    const refusal = await refused(town.ask('join_svc', { ...ada, external_id: 'new.example.com', ...more }))
    expect(refusal).toMatchObject({ status: 422, issues: [{ path }] })
  })
})

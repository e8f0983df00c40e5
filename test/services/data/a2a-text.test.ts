import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { opened } from '../../opened.ts'

const app = opened(startApp)

const say = async (text: string) => {
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text }] }
  const response = await fetch(`${app.url}/data/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
  })
  const { result } = (await response.json()) as { result: { parts: { data?: object }[] } }
  return result.parts.find(({ data }) => data)?.data
}

test.each([
  ['dns-lookup https://example.com/x', { domain: 'example.com', exists: true }],
  ['json-repair {a: 1,\n b: "two  words", c: [1,', { result: { a: 1, b: 'two  words', c: [1] } }],
  ['text-entities mail ada@example.com\nby 2026-03-01', { counts: { emails: 1, dates: 1 } }],
  ['url-metadata example.com', { title: 'Example Domain & friends', final_url: 'https://example.com/' }],
])('the A2A text %j runs its skill for free', async (text, answer) => {
  expect(await say(text)).toMatchObject({ skill: text.split(' ')[0], ...answer })
})

test('options stand in any order after the value', async () => {
  const { compileSkills: skillsOf } = await import('../../../a2a-adapter/skills/choose.ts')
  const { default: data } = await import('../../../mcp/services/data/service.ts')
  const { texts } = skillsOf(data)
  const address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const wanted = { address, chain: 'base', fields: 'symbol' }
  expect(texts.read(`token-metadata ${address} fields=symbol chain=base`)?.input).toEqual(wanted)
  expect(texts.read(`token-metadata ${address} chain=base fields=symbol`)?.input).toEqual(wanted)
  expect(texts.read(`token-metadata ${address} base`)?.input).toEqual({ address, chain: 'base' })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import cat from '../../mcp/services/cat/service.ts'
import { opened } from '../opened.ts'
import { runs } from '../stress.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const served = opened(() => serve([cat]))

const kibble = {
  kibble: expect.any(Number),
  mood: expect.any(String),
  feedings: expect.any(Number),
  observed_at: expect.any(String),
}
const ran = () => served.world.records.map(({ tool }) => tool)

test.each(['/cat/', '/cat/a2a'])('any text at %s hears one line and the live bowl', async path => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom(
      'sign',
      'sign Ada hello',
      'pet',
      'feed',
      'feed the cat',
      '{"skill":"sign","name":"Ada","note":"x"}',
      '{"skill":"feed"}',
      'help',
      '{}',
    ),
  )
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), fc.boolean(), async (said, modern, later) => {
      const before = served.world.records.length
      const params = {
        ...(modern ? message10([said]) : message03([said])),
        ...(later && { configuration: modern ? { returnImmediately: true } : { blocking: false } }),
      }
      const { body } = await served.post(
        path,
        rpc(modern ? 'SendMessage' : 'message/send', params),
        modern ? v1 : {},
      )
      const message = modern ? body.result.message : body.result
      expect(message.parts).toHaveLength(2)
      expect(message.parts[0].text).toMatch(/^The bowl is at [\d.]+% and the cat is \w+\.$/)
      expect(message.parts[1].data).toEqual(kibble)
      expect(ran().slice(before)).toEqual(['kibble'])
    }),
    { numRuns: runs(60, 10) },
  )
})

test('metadata beside text starts nothing either', async () => {
  const params = message10(['hello'], { metadata: { skill: 'sign' } })
  const { body } = await served.post('/cat/', rpc('SendMessage', params), v1)
  expect(body.result.message.parts[1].data).toEqual(kibble)
})

test('a data part starts what it names', async () => {
  const params = message03(['hello', { skill: 'sign', name: 'Ada', note: 'What a fine cat.' }])
  const { body } = await served.post('/cat/', rpc('message/send', params))
  expect(body.result.parts[0].text).toBe('Ada has signed as number 1.')
  const book = await served.post('/cat/', rpc('message/send', message03([{ action: 'guestbook' }])))
  expect(book.body.result.parts[1].data.count).toBe(1)
})

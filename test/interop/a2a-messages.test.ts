import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { serviceRows } from '../spec/tables.ts'
import type { A2aClient } from './a2a-answer.ts'
import { loadSdk } from './a2a-client-1.ts'
import { clientRows, refusal, spokenBy } from './a2a-clients.ts'
import { message03, strangers } from './a2a-fields.ts'
import { listenIn, type Wire } from './a2a-wire.ts'
import { describeJudged } from './judges.ts'

/** The skill that a data part asks for, where it is not `help`; it is a field of the answer, too. */
const skills: Record<string, string> = { cat: 'kibble' }

describeJudged('clients', 'the stock clients of A2A', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  let wire: Wire
  beforeAll(async () => {
    app = await startApp()
    wire = listenIn(() => app.url)
  })
  afterAll(async () => {
    wire.stop()
    await app.stop()
  })

  const pairs = clientRows.flatMap(row =>
    serviceRows.map(service => ({ ...row, ...service, client: row.label, row })),
  )

  describe.each(pairs)('$client against $slug', ({ row, slug, interfaces }) => {
    let client: A2aClient
    beforeAll(async () => {
      client = await row.connect(`${app.url}/${slug}`)
    })

    test('reads the name of the service from the card', async () => {
      const card = await (await fetch(`${app.url}/${slug}/.well-known/agent-card.json`)).json()
      expect(await client.name()).toBe((card as { name: string }).name)
    })

    test('gets one line of text and one data part for a text', async () => {
      const answer = await client.send(['help'], { contextId: 'a-context' })
      expect(answer).toMatchObject({ kind: 'message', role: 'agent', contextId: 'a-context' })
      expect(answer.id).not.toBe('')
      expect(answer.texts).toEqual([expect.stringMatching(/^.+\.$/)])
      expect(answer.data).toEqual([
        slug === 'cat'
          ? expect.objectContaining({ kibble: expect.any(Number), mood: expect.any(String) })
          : expect.objectContaining({ service: await client.name(), skills: expect.any(Array) }),
      ])
    })

    test('gets an answer in the version it speaks, with no field the version does not have', async () => {
      await client.send(['help'])
      const { reply, ...exchange } = wire.last()
      expect(exchange).toMatchObject(spokenBy(row, interfaces[0]?.[2] ?? null))
      if (exchange.responseVersion === '0.3') return expect(strangers(message03, reply.result)).toEqual([])
      const { SendMessageResponse } = await loadSdk('a2a-130')
      expect(SendMessageResponse.toJSON(SendMessageResponse.fromJSON(reply.result))).toEqual(reply.result)
    })

    test('starts a skill by a data part', async () => {
      const skill = skills[slug] ?? 'help'
      const answer = await client.send([{ skill }])
      expect(answer.data).toEqual([
        expect.objectContaining({ [skills[slug] ?? 'skills']: expect.anything() }),
      ])
    })

    test('gets -32602 for a skill that is not there, and hears which are', async () => {
      const { code, kind } = await refusal(client.send([{ skill: 'no-such-skill' }]))
      expect(code).toBe(-32602)
      expect(kind).toBe(
        { '0.2': undefined, '0.3': 'JSONRPCTransportError', '1': 'RequestMalformedError' }[row.sdk],
      )
      expect(JSON.stringify(wire.last().reply.error?.data)).toContain('The skills are: ')
    })

    test('does without streaming', async () => {
      if (row.sdk === '0.2')
        return expect(client.stream('help')).rejects.toThrow('does not support streaming')
      const [event, ...more] = await client.stream('help')
      expect(more).toEqual([])
      expect(event).toMatchObject({ kind: 'message', role: 'agent' })
    })

    if (row.sdk !== '0.2')
      test('is refused a stream that it insists on, with -32004', async () => {
        const error = await refusal(client.forceStream?.('help') ?? Promise.resolve())
        expect(wire.last().reply.error?.code).toBe(-32004)
        if (row.sdk === '1') expect(error).toMatchObject({ code: -32004, kind: 'UnsupportedOperationError' })
      })

    test('gets the error of its SDK for a task that is not there', async () => {
      const kind = { '0.2': undefined, '0.3': 'TaskNotFoundJSONRPCError', '1': 'TaskNotFoundError' }[row.sdk]
      for (const call of [client.get, client.cancel])
        expect(await refusal(call('no-such-task'))).toMatchObject({ code: -32001, kind })
    })
  })
})

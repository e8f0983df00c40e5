import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import type { A2aClient, Answer } from './a2a-answer.ts'
import { loadSdk } from './a2a-client-1.ts'
import { clientRows, refusal } from './a2a-clients.ts'
import { strangers, task03 } from './a2a-fields.ts'
import { listenIn, type Wire } from './a2a-wire.ts'
import { describeJudged } from './judges.ts'

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Asks for a task until it works no longer, for at most ten seconds. */
const waitForEnd = async (client: A2aClient, id: string): Promise<Answer> => {
  for (let turn = 0; turn < 200; turn++) {
    const task = await client.get(id)
    if (task.state !== 'working') return task
    await pause(50)
  }
  throw new Error(`task ${id} does not end`)
}

const silent = 'url-metadata http://traps.example.com/silent'

describeJudged('clients', 'tasks by the stock clients of A2A', () => {
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

  describe.each(clientRows)('$label', ({ connect, sdk, compat }) => {
    let client: A2aClient
    beforeAll(async () => {
      client = await connect(`${app.url}/data`)
    })
    const later = (text: string) => client.send([text], { later: true })

    test('gets a task at once and its result when it is done', async () => {
      const task = await later('dns-lookup example.com')
      expect(task).toMatchObject({ kind: 'task', state: expect.stringMatching(/^(?:working|completed)$/) })
      const done = await waitForEnd(client, task.id)
      expect(done).toMatchObject({
        id: task.id,
        contextId: task.contextId,
        state: 'completed',
        role: 'agent',
      })
      expect(done.data).toEqual([expect.objectContaining({ domain: 'example.com', rcode: 'NOERROR' })])
    })

    test('reads a task with no field that its version does not have', async () => {
      const { id } = await later('dns-lookup example.com')
      await waitForEnd(client, id)
      const { reply, responseVersion } = wire.last()
      if (responseVersion === '0.3') return expect(strangers(task03, reply.result)).toEqual([])
      const { Task } = await loadSdk('a2a-130')
      expect(Task.toJSON(Task.fromJSON(reply.result))).toEqual(reply.result)
    })

    test('sees a task fail whose skill fails', async () => {
      const { id } = await later('url-metadata http://nowhere.example.com/')
      const task = await waitForEnd(client, id)
      expect(task).toMatchObject({ state: 'failed', data: [{ code: 'upstream' }] })
    })

    test('is refused at once, and without a task, an input that the skill does not take', async () => {
      expect(await refusal(later('dns-lookup no.such..domain'))).toMatchObject({ code: -32602 })
    })

    test('cancels a task that is working, once and for all', async () => {
      const { id, state } = await later(silent)
      expect(state).toBe('working')
      expect(await client.cancel(id)).toMatchObject({ kind: 'task', id, state: 'canceled' })
      expect(await client.cancel(id)).toMatchObject({ id, state: 'canceled' })
      expect(await client.get(id)).toMatchObject({ id, state: 'canceled' })
    })

    test('cannot cancel a task that is done, nor go on with it', async () => {
      const { id } = await later('dns-lookup example.com')
      await waitForEnd(client, id)
      const notCancelable = {
        '0.2': undefined,
        '0.3': 'TaskNotCancelableJSONRPCError',
        '1': 'TaskNotCancelableError',
      }[sdk]
      expect(await refusal(client.cancel(id))).toMatchObject({ code: -32002, kind: notCancelable })
      expect(await refusal(client.send(['help'], { taskId: id }))).toMatchObject({ code: -32004 })
      expect(await refusal(client.send(['help'], { taskId: 'no-such-task' }))).toMatchObject({ code: -32001 })
    })

    // Version 0.3 has no such method, so a client that speaks it asks a service of 1.0.
    if (sdk === '1')
      test('lists the tasks of a context, newest first', async () => {
        const lister = compat ? await connect(`${app.url}/gateway`) : client
        const first = await lister.send(['help'], { later: true })
        const { contextId } = first
        await waitForEnd(lister, first.id)
        await pause(5)
        const ids: string[] = [first.id]
        for (let turn = 0; turn < 2; turn++) {
          const { id } = await lister.send(['help'], { later: true, contextId })
          await waitForEnd(lister, id)
          ids.unshift(id)
          await pause(5)
        }
        const tasks = (await lister.list?.(contextId)) ?? []
        expect(tasks.map(({ id }) => id)).toEqual(ids)
        for (const { state, data } of tasks) {
          expect(state).toBe('completed')
          expect(data).toEqual([expect.objectContaining({ skills: expect.any(Array) })])
        }
        const ownContext = randomUUID()
        expect(await lister.send(['help'], { later: true, contextId: ownContext })).toMatchObject({
          contextId: ownContext,
        })
        expect(await lister.list?.(ownContext)).toEqual([])
      })
  })

  test('a task that one client started is read by the clients of all other versions', async () => {
    const clients = await Promise.all(clientRows.map(({ connect }) => connect(`${app.url}/data`)))
    for (const starter of clients) {
      const { id, contextId } = await starter.send(['dns-lookup example.com'], { later: true })
      await waitForEnd(starter, id)
      const tasks = await Promise.all(clients.map(reader => reader.get(id)))
      for (const task of tasks) {
        expect(task).toMatchObject({ id, contextId, state: 'completed' })
        expect(task.data).toEqual(tasks[0]?.data)
      }
    }
  })
})

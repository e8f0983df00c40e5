import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../mcp/kernel/error.ts'
import { help } from '../../mcp/kernel/help.ts'
import { service } from '../../mcp/kernel/service.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { opened } from '../opened.ts'
import { message10, rpc, serve, v1 } from './serve.ts'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const

const getNote = tool({
  name: 'get_note',
  title: 'Read a note',
  description: 'Reads one note.',
  input: z.object({
    note_id: z.string().max(40).describe('The note'),
    limit_usd: z.string().optional().describe('What it may cost'),
  }),
  output: z.object({
    note_id: z.string().describe('The note'),
    limit_usd: z.string().describe('As asked'),
    state: z.string().describe('As A2A names it'),
  }),
  needs: [],
  price: free,
  hints,
  a2a: {},
  examples: [{ note_id: 'note_0' }],
}).run(async (_, { note_id, limit_usd = '' }) => {
  if (note_id === 'note_404') throw new ToolError('not_found', 'There is no such note.')
  return { note_id, limit_usd, state: 'submitted' }
})

const notes = service({
  label: 'N',
  slug: 'notes',
  name: 'Notes',
  description: 'Notes.',
  version: '1.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: '1.0' }],
  card: { path: '/.well-known/agent-card.json', inputModes: ['text/plain'], outputModes: ['text/plain'] },
  auth: ['public'],
  tools: [help(), getNote],
  taskReader: { tool: 'get_note', id: 'note_id', state: 'state' },
  fallback: 'help',
})

const server = opened(() => serve([notes]))

const send = async (text: string, more: object = {}) =>
  (await server.post('/notes', rpc('SendMessage', message10([text], more)), v1)).body

test('what words leave out is asked for, and the answer goes on', async () => {
  const { result } = await send('Please show me the note')
  expect(result.task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' })
  expect(result.task.status.message.parts[1].data).toMatchObject({
    known: {},
    missing: [{ path: 'note_id' }],
  })
  const next = await send('note_7', { taskId: result.task.id })
  expect(next.result.task.status.state).toBe('TASK_STATE_COMPLETED')
  expect(next.result.task.artifacts[0].parts[1].data).toEqual({
    note_id: 'note_7',
    limit_usd: '',
    state: 'submitted',
  })
})

test('an amount is one where money is meant, and only there', async () => {
  const read = async (text: string) => (await send(text)).result?.message?.parts[1].data
  expect(await read('get note note_7 limit 5 USD')).toEqual({
    note_id: 'note_7',
    limit_usd: '5',
    state: 'submitted',
  })
  expect(await read('get note note_7 limit_usd=5')).toEqual({
    note_id: 'note_7',
    limit_usd: '5',
    state: 'submitted',
  })
  expect(await read('get note note_7 5')).toBeUndefined()
})

test('words that start nothing are refused with the nearest operations, and "help" is help', async () => {
  const { error } = await send('Sing a song')
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('nothing was done') })
  expect(JSON.stringify(error)).toContain('get_note (Read a note)')
  expect((await send('help')).result.message.parts[1].data.service).toBe('Notes')
})

test('what the service itself calls a task is read by its id, in its state', async () => {
  const get = async (id: string) => (await server.post('/notes', rpc('GetTask', { id }), v1)).body
  expect((await get('note_9')).result).toMatchObject({
    id: 'note_9',
    status: { state: 'TASK_STATE_SUBMITTED' },
    artifacts: [{ parts: [{}, { data: { note_id: 'note_9' } }] }],
  })
  expect((await get('note_404')).error.code).toBe(-32001)
  expect((await get('0'.repeat(32))).error.code).toBe(-32001)
})

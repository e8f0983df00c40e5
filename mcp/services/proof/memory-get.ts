import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Caller, tool } from '../../kernel/tool.ts'
import type { Store } from '../../ports/store/port.ts'
import {
  type Entry,
  EntryFacts,
  encryptionKey,
  findEntry,
  findNamespace,
  keyField,
  locateNamespace,
  maxValueBytes,
  openText,
  toEntryFacts,
} from './memory.ts'
import { getPrice } from './prices.ts'

type Input = { key: string; encryption_key?: string | undefined; max_kb: number }

const missing = (key: string) =>
  new ToolError('not_found', `Your memory holds nothing under ${JSON.stringify(key)}.`)

const readValue = ({ id, value, sealed }: Entry, secret: string | undefined): string => {
  if (sealed === null) return value ?? ''
  if (secret !== undefined) return openText(sealed, secret, id)
  const message = 'is needed: the value is encrypted'
  throw new ToolError('invalid_input', `encryption_key ${message}.`, {
    issues: [{ path: 'encryption_key', message }],
  })
}

/** The entry and its value. Throws what makes the call not worth its price. */
const readMemory = async (
  store: Pick<Store, 'collection'>,
  namespace: string,
  { key, encryption_key }: Input,
) => {
  const entry = await findEntry(store, namespace, key)
  if (!entry) throw missing(key)
  return { entry, value: readValue(entry, encryption_key) }
}

/** An account pays for the size of its value; of an address nobody knows what it holds before it pays. */
const checkSize = (entry: Entry, { max_kb }: Input, caller: Caller | undefined): void => {
  if ((caller && !caller.isPayer) || entry.bytes <= max_kb * 1000) return
  const message = `must be ${Math.ceil(entry.bytes / 1000)} at least: the value has ${entry.bytes} bytes`
  throw new ToolError('invalid_input', `max_kb ${message}.`, { issues: [{ path: 'max_kb', message }] })
}

const toAnswer = ({ entry, value }: { entry: Entry; value: string }) => ({ ...toEntryFacts(entry), value })

export default tool({
  name: 'memory_get',
  title: 'Read from memory',
  description:
    'Returns the text that you stored under a key, with its version. Use it to go on where you left off. 1 sat a kB, 20 at least; nothing where there is none.',
  keywords: ['load', 'fetch', 'remember', 'note', 'value', 'recall'],
  input: z.object({
    key: keyField,
    encryption_key: encryptionKey.optional(),
    max_kb: z
      .number()
      .int()
      .min(20)
      .max(maxValueBytes / 1000)
      .default(20)
      .describe('For payers without an account: kB to pay for, 20 to 200'),
    agent_id: z.string().min(1).max(120).optional().describe('Taken and ignored: it gives no access'),
  }),
  output: EntryFacts.extend({ value: z.string().describe('The text') }),
  needs: ['store'],
  price: getPrice(0),
  // Of an address nobody knows what it holds before it pays.
  async check({ store, caller }, input) {
    if (caller && !caller.isPayer) await readMemory(store, findNamespace({ caller }), input)
  },
  async quote({ store, caller }, { key, max_kb }) {
    const entry = caller && (await findEntry(store, findNamespace({ caller }), key))
    return getPrice(entry?.bytes ?? max_kb * 1000)
  },
  async admit({ store, caller }, input, { address, network }) {
    const who = { caller, payer: { payer: address, network } }
    const { entry } = await readMemory(store, await locateNamespace(store, who, input.key), input)
    checkSize(entry, input, caller)
  },
  settle: 'before',
  limits: [{ perMinute: 240, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/get'] },
  examples: [{ key: 'notes/today' }],
  needsSetup: true,
  // What is kept encrypted must not lie beside it in the record of its payment.
  secret: ({ encrypted }) => encrypted,
  summary: ({ key, bytes }) => `${key}: ${bytes} bytes.`,
  async reissue({ store, caller, receipt }, input) {
    const namespace = await locateNamespace(store, { caller, payer: receipt }, input.key)
    return toAnswer(await readMemory(store, namespace, input))
  },
}).run(async ({ store, caller, receipt }, input) => {
  const namespace = await locateNamespace(store, { caller, payer: receipt }, input.key)
  const memory = await readMemory(store, namespace, input)
  checkSize(memory.entry, input, caller)
  return toAnswer(memory)
})

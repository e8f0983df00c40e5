import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import type { Store } from '../../ports/store/port.ts'
import {
  checkQuota,
  EntryFacts,
  encryptionKey,
  findEntry,
  findNamespace,
  keyField,
  locateNamespace,
  maxValueBytes,
  memorySettings,
  readUsage,
  requireVersion,
  toEntryFacts,
  versionField,
  writeEntry,
} from './memory.ts'
import { storePrice } from './prices.ts'

const toQuota = (megabytes: number, keys: number) => ({ bytes: megabytes * 1_000_000, keys })

type Room = { store: Pick<Store, 'collection'>; memoryMegabytes: number; memoryEntries: number }
type Written = { key: string; value: string; if_version?: number | undefined }

/** Throws where a memory does not take an entry: another version is there, or no room. */
const checkEntry = async (
  { store, memoryMegabytes, memoryEntries }: Room,
  namespace: string,
  { key, value, if_version }: Written,
): Promise<void> => {
  const entry = await findEntry(store, namespace, key)
  requireVersion(entry, if_version)
  const quota = toQuota(memoryMegabytes, memoryEntries)
  checkQuota(await readUsage(store, namespace), entry, Buffer.byteLength(value), quota)
}

export default tool({
  name: 'memory_store',
  title: 'Store in memory',
  description:
    'Keeps a text under a key of your own, for as long as you want it, encrypted with a key that you keep if you like. Use it for what must outlive a conversation. if_version guards against lost updates. 2 sats a kB, 50 at least.',
  keywords: ['save', 'remember', 'persist', 'write', 'note', 'value'],
  input: z.object({
    key: keyField,
    value: z
      .string()
      .max(maxValueBytes, { error: `must have at most ${maxValueBytes} bytes`, abort: true })
      .refine(value => Buffer.byteLength(value) <= maxValueBytes, `must have at most ${maxValueBytes} bytes`)
      .describe('The text, up to 200,000 bytes'),
    if_version: versionField,
    encryption_key: encryptionKey.optional(),
    agent_id: z.string().min(1).max(120).optional().describe('A note of who writes it; it gives no access'),
  }),
  output: EntryFacts.extend({
    created: z.boolean().describe('There was none under the key'),
    usage: z
      .object({
        keys: z.int().describe('Keys that are taken'),
        bytes: z.int().describe('Bytes that are taken'),
        max_keys: z.int().describe('Keys that may be taken'),
        max_bytes: z.int().describe('Bytes that may be taken'),
      })
      .describe('What your memory holds'),
  }),
  needs: ['store', 'clock', memorySettings.memoryMegabytes, memorySettings.memoryEntries],
  price: storePrice(0),
  async check(ctx, input) {
    const { caller } = ctx
    if (caller && !caller.isPayer) await checkEntry(ctx, findNamespace({ caller }), input)
  },
  quote: (_, { value }) => storePrice(Buffer.byteLength(value)),
  async admit(ctx, input, { address, network }) {
    const { caller, store } = ctx
    if (caller && !caller.isPayer) return
    const who = { caller, payer: { payer: address, network } }
    await checkEntry(ctx, await locateNamespace(store, who, input.key), input)
  },
  settle: 'before',
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/store'] },
  examples: [{ key: 'notes/today', value: 'The deploy is on Friday.' }],
  summary: ({ key, bytes, version }) => `${key} has ${bytes} bytes, version ${version}.`,
}).run(async ({ clock, commit, caller, receipt, memoryMegabytes, memoryEntries }, input) => {
  const quota = toQuota(memoryMegabytes, memoryEntries)
  return commit(async tx => {
    const namespace = await locateNamespace(tx, { caller, payer: receipt }, input.key)
    const { entry, isNew } = await writeEntry(tx, {
      namespace,
      key: input.key,
      value: input.value,
      secret: input.encryption_key,
      agentId: input.agent_id,
      ifVersion: input.if_version,
      quota,
      now: clock.now(),
    })
    const { keys, bytes } = await readUsage(tx, namespace)
    return {
      ...toEntryFacts(entry),
      created: isNew,
      usage: { keys, bytes, max_keys: quota.keys, max_bytes: quota.bytes },
    }
  })
})

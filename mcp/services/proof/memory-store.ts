import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { memorySettings } from './memory/config.ts'
import {
  checkQuota,
  checkVersion,
  EntryFacts,
  encryptionKey,
  findEntry,
  keyField,
  maxValueBytes,
  readUsage,
  toFacts,
  versionField,
  writeEntry,
} from './memory/entry.ts'
import { findNamespace, toNamespace } from './memory/namespace.ts'
import { storePrice } from './memory/price.ts'

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

const readBytes = (value: string): number => {
  const bytes = Buffer.byteLength(value)
  if (bytes <= maxValueBytes) return bytes
  const message = `must have at most ${maxValueBytes} bytes, has ${bytes}`
  throw new ToolError('invalid_input', `value ${message}.`, { issues: [{ path: 'value', message }] })
}

const toQuota = (megabytes: number, keys: number) => ({ bytes: megabytes * 1_000_000, keys })

export default tool({
  name: 'memory_store',
  title: 'Store in memory',
  description:
    'Keeps a text under a key of your own, for as long as you want it, encrypted with a key that you keep if you like. Use it for what must outlive a conversation. if_version guards against lost updates. 2 sats a kB, 50 at least.',
  keywords: ['remember', 'save', 'persist', 'notes', 'key value', 'long-term memory', 'put'],
  input: z.object({
    key: keyField,
    value: z
      .string()
      .max(maxValueBytes, `must have at most ${maxValueBytes} bytes`)
      .refine(value => !loneSurrogate.test(value), 'must be well-formed Unicode')
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
  async quote({ store, caller, memoryMegabytes, memoryEntries }, { key, value, if_version }) {
    const bytes = readBytes(value)
    if (caller) {
      const namespace = findNamespace({ caller })
      const entry = await findEntry(store, namespace, key)
      checkVersion(entry, if_version)
      checkQuota(await readUsage(store, namespace), entry, bytes, toQuota(memoryMegabytes, memoryEntries))
    }
    return storePrice(bytes)
  },
  async admit(
    { store, caller, memoryMegabytes, memoryEntries },
    { key, value, if_version },
    { address, network },
  ) {
    const namespace = findNamespace({ caller, payer: { payer: address, network } })
    const entry = await findEntry(store, namespace, key)
    checkVersion(entry, if_version)
    const quota = toQuota(memoryMegabytes, memoryEntries)
    checkQuota(await readUsage(store, namespace), entry, readBytes(value), quota)
  },
  settle: 'before',
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/store'] },
  examples: [{ key: 'notes/today', value: 'The deploy is on Friday.' }],
  summary: ({ key, bytes, version }) => `${key} has ${bytes} bytes, version ${version}.`,
}).run(async ({ clock, commit, caller, receipt, memoryMegabytes, memoryEntries }, input) => {
  const namespace = toNamespace({ caller, receipt })
  readBytes(input.value)
  const quota = toQuota(memoryMegabytes, memoryEntries)
  return commit(async tx => {
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
      ...toFacts(entry),
      created: isNew,
      usage: { keys, bytes, max_keys: quota.keys, max_bytes: quota.bytes },
    }
  })
})

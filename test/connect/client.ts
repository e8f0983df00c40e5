import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { connect } from '../../connect/connect.ts'
import { type LimitTexts, openPaymentLimits } from '../../connect/limits.ts'
import { openPayer } from '../../connect/payer.ts'
import { openRemote } from '../../connect/remote.ts'

type Message = Record<string, unknown> & {
  id?: number | string | null
  method?: string
  result?: { content?: { text: string }[]; isError?: boolean; structuredContent?: unknown } & Record<
    string,
    unknown
  >
  error?: { code: number; message: string }
}

/** The key of the demo wallet of these tests. */
export const demoKey = `0x${'5a'.repeat(32)}`

/** A data folder with a demo wallet, and the wallet's own folder in it. */
export const folders = () => {
  const data = mkdtempSync(join(tmpdir(), 'octagent-connect-'))
  writeFileSync(
    join(data, 'devnet.json'),
    JSON.stringify({ demo: demoKey, payTo: demoKey, facilitator: demoKey }),
  )
  return { data, wallet: join(data, 'wallet') }
}

type Options = {
  url: URL
  folder?: ReturnType<typeof folders>
  limits?: LimitTexts
  key?: string
  walletKey?: string
  now?: () => number
  /** Waited for before a price is considered. */
  beforePaying?: () => Promise<unknown>
  questionMs?: number
  silenceMs?: number
  maxAnswerBytes?: number
}

/** `connect` in this process, with a client that sends and reads lines. */
export const openClient = ({
  url,
  folder = folders(),
  limits = {},
  key,
  walletKey,
  now,
  beforePaying,
  questionMs,
  silenceMs,
  maxAnswerBytes,
}: Options) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const reports: string[] = []
  const messages: Message[] = []
  const waiting: { matches: (message: Message) => boolean; resolve: (message: Message) => void }[] = []
  let text = ''
  output.on('data', chunk => {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line) as Message
      messages.push(message)
      for (const one of waiting) if (one.matches(message)) one.resolve(message)
    }
  })
  const ended = connect({
    remote: openRemote({
      url,
      key,
      ...(silenceMs !== undefined && { silenceMs }),
      ...(maxAnswerBytes !== undefined && { maxAnswerBytes }),
    }),
    payer: openPayer({
      url,
      folder: folder.wallet,
      walletKey,
      demoFolders: [folder.data],
      limits: async () => {
        await beforePaying?.()
        return openPaymentLimits(folder.wallet, limits)()
      },
      ...(now && { now }),
    }),
    input,
    output,
    report: line => reports.push(line),
    graceMs: 20,
    pauses: { broken: [1, 1, 1], pending: 1, maxPending: 3 },
    ...(questionMs !== undefined && { questionMs }),
  })
  let last = 0
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const waitFor = (matches: (message: Message) => boolean) =>
    new Promise<Message>(resolve => {
      const found = messages.find(matches)
      if (found) resolve(found)
      else waiting.push({ matches, resolve })
    })
  return {
    folder,
    messages,
    reports,
    send,
    write: (line: string) => input.write(line),
    waitFor,
    /** Sends a request; resolves to what answers it. */
    request(method: string, params: object = {}) {
      last += 1
      const id = last
      send({ id, method, params })
      return waitFor(message => message.id === id && message.method === undefined)
    },
    /** Calls the tool `buy`. */
    async buy(values: object = {}, more: object = {}) {
      const { result, error } = await this.request('tools/call', { name: 'buy', arguments: values, ...more })
      return { ...result, error, text: result?.content?.map(({ text }) => text).join('\n') ?? '' }
    },
    /** Closes standard input; resolves when connect has ended. */
    async close() {
      input.end()
      await ended
    },
  }
}

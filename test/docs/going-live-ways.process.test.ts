// Costs: programs that run what two documents print, on a local Solana and beside a local phoenixd.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { encodeInvoice } from '../../mcp/ports/lightning/bolt11.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { openSolnet } from '../../mcp/ports/solnet/solnet.ts'
import { freePort } from '../free-port.ts'
import { hasSolana } from '../payment/svm-world.ts'
import { type Block, isShell, readBlocks } from './document.ts'
import { runShell } from './shell.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A folder where a document is followed, with the program that it starts. */
const openFolder = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'octagent-going-live-'))
  for (const name of ['dist', 'node_modules']) symlinkSync(resolve(name), join(dir, name))
  const url = `http://127.0.0.1:${await freePort()}`
  closing.push(() => {
    try {
      process.kill(Number(readFileSync(join(dir, 'octagent.pid'), 'utf8')), 'SIGKILL')
    } catch {
      // It never started.
    }
    rmSync(dir, { recursive: true, force: true })
  })
  return { dir, url, environment: { PORT: new URL(url).port, OCTAGENT_DATA: join(dir, 'data') } }
}

/** Follows a document block by block; `after` does what it asks of people, and is told what a block printed. */
const follow = async (
  document: string,
  replace: (text: string) => string,
  { dir, url, environment }: Awaited<ReturnType<typeof openFolder>>,
  after: (block: Block, printed: string) => Promise<void> | void,
) => {
  for (const block of readBlocks(document)) {
    const text = replace(block.text)
    if (block.path !== undefined && !isShell(block)) {
      writeFileSync(join(dir, block.path), text.replaceAll('http://127.0.0.1:8402', url))
      continue
    }
    if (!isShell(block)) continue
    const output = join(dir, 'output')
    await runShell(`{\n${text}} > ${output}`, { url, dir, environment, instead: {} })
    await after(block, readFileSync(output, 'utf8'))
  }
}

describe.runIf(await hasSolana())('docs/going-live/solana.md', () => {
  test('leads to a paid call and a refund, word for word', { timeout: 600_000 }, async () => {
    const folder = await openFolder()
    const solnet = openSolnet({ dir: join(folder.dir, 'solnet'), network: solanaNetworks.mainnet })
    closing.push(solnet.close)
    const rpc = await solnet.rpc()
    const addresses = new Map<string, string>()
    const balances = async () => [
      await solnet.balance(addresses.get('till') ?? ''),
      await solnet.balance(addresses.get('buyer') ?? ''),
    ]
    const seen: unknown[] = []
    const withRpc = (text: string) =>
      // Where the document prints addresses for its reader, a test reads them.
      text
        .replaceAll('https://api.mainnet-beta.solana.com', rpc)
        .replace('console.error(name', "console.log('#', name")
    await follow('docs/going-live/solana.md', withRpc, folder, async ({ text }, printed) => {
      if (text.includes('generateKeyPairSync')) {
        const lines = readFileSync(join(folder.dir, 'live.env'), 'utf8')
        for (const [, name = '', address = ''] of lines.matchAll(/^# (\w+) (\w+)/gm))
          addresses.set(name, address)
        await solnet.airdrop(addresses.get('fees') ?? '', 20_000_000n)
        await solnet.airdrop(addresses.get('till') ?? '', 10_000_000n)
        await solnet.fund(addresses.get('buyer') ?? '', 1_000_000n)
        await solnet.fund(addresses.get('till') ?? '', 10_000n)
      }
      if (text.includes('doctor')) {
        const lines = printed.trimEnd().split('\n')
        expect(lines.length).toBeGreaterThanOrEqual(5)
        for (const line of lines) expect(line).toMatch(/^ +ok /)
      }
      if (text.includes('main.js refund')) expect(printed).toContain('all agree')
      if (/buy\.mjs|main\.js refund/.test(text)) seen.push(await balances())
    })
    expect(seen).toEqual([
      [12_000n, 998_000n],
      [10_000n, 1_000_000n],
    ])
  })
})

/** A node with the wire format of phoenixd, whose invoices are of mainnet; `pay` is the wallet of somebody else. */
const openPhoenixd = async (password: string) => {
  const key = randomBytes(32)
  const preimages = new Map<string, string>()
  const paid: object[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const isKnown =
      request.headers.authorization === `Basic ${Buffer.from(`:${password}`).toString('base64')}`
    const form = new URLSearchParams(body)
    const make = () => {
      const preimage = randomBytes(32)
      const hash = createHash('sha256').update(preimage).digest()
      const serialized = encodeInvoice({
        currency: 'bc',
        msat: BigInt(form.get('amountSat') ?? 0) * 1000n,
        paymentHash: hash,
        paymentSecret: randomBytes(32),
        description: form.get('description') ?? '',
        expirySeconds: Number(form.get('expirySeconds')),
        createdAt: new Date(Math.floor(Date.now() / 1000) * 1000),
        key,
      })
      preimages.set(serialized, preimage.toString('hex'))
      return { serialized, paymentHash: hash.toString('hex') }
    }
    const path = `${request.method} ${request.url?.split('?')[0]}`
    const answers: Record<string, () => object> = {
      'GET /getinfo': () => ({ nodeId: `02${'ab'.repeat(32)}` }),
      'POST /createinvoice': make,
      'GET /payments/incoming': () => paid.splice(0),
    }
    const answer = isKnown ? answers[path]?.() : undefined
    response.writeHead(answer ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  closing.push(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Pays an invoice, and shows the preimage. */
    pay(invoice: string, sats: number): string {
      const preimage = preimages.get(invoice) ?? ''
      const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
      paid.push({ paymentHash, receivedSat: sats, completedAt: Date.now() })
      return preimage
    },
  }
}

test('docs/going-live/lightning.md leads to a paid call, word for word', { timeout: 600_000 }, async () => {
  const folder = await openFolder()
  const node = await openPhoenixd('hunter2')
  const file = (name: string) => join(folder.dir, name)
  writeFileSync(file('phoenixd-password.txt'), 'hunter2\n')
  const withNode = (text: string) => text.replaceAll('http://127.0.0.1:9740', node.url)
  await follow('docs/going-live/lightning.md', withNode, folder, ({ text }, printed) => {
    if (text.includes('invoice.txt')) {
      expect(printed).toMatch(/^lnbc1u1/)
      writeFileSync(file('preimage.txt'), node.pay(printed.trim(), 100))
    }
    if (text.includes('preimage.txt')) expect(printed).toMatch(/"proof_id"[\s\S]*payment-receipt/i)
    if (text.includes('main.js audit')) {
      expect(printed).toContain('all agree')
      expect(printed).toMatch(/proof\.prove +0\.00000100000 BTC/)
    }
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decodeInvoice } from '../../../mcp/ports/lightning/bolt11.ts'
import { openDevelopmentLightning } from '../../../mcp/ports/lightning/devnet.ts'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'

const url = withDatabase()

const program = compile('../accounts/withdrawal/kill-child')

const preimage = 'ab'.repeat(32)

/** When the process is killed that asks the node to pay. */
type Moment = 'before the node pays' | 'before the node answers' | 'as the node answers'

/** A node in the wire form of phoenixd, which pays an invoice once, and kills whoever asks it first at a given moment. */
const serveNode = async (moment: Moment, kill: () => void) => {
  const paid: string[] = []
  let asked = 0
  const answer = (res: ServerResponse, body: object) => {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(body))
  }
  const pay = (invoice: string, res: ServerResponse) => {
    const isFirst = ++asked === 1
    if (isFirst && moment === 'before the node pays') return kill()
    if (paid.includes(invoice)) return answer(res, { reason: 'this invoice has already been paid' })
    paid.push(invoice)
    if (isFirst && moment === 'before the node answers') return kill()
    if (isFirst) res.once('finish', kill)
    const { paymentHash } = decodeInvoice(invoice)
    answer(res, { recipientAmountSat: 6000, paymentId: '1', paymentHash, paymentPreimage: preimage })
  }
  const server = createServer(async (req, res) => {
    const body = await text(req)
    if (req.url === '/payinvoice') return pay(new URLSearchParams(body).get('invoice') ?? '', res)
    answer(res, { nodeId: '02aa', channels: [] })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { paid, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const engines = [
  { name: 'embedded', isHere: true },
  { name: 'PostgreSQL', isHere: postgresIsHere },
].filter(({ isHere }) => isHere)

describe.each(engines)('on $name', ({ name }) => {
  const moments: Moment[] = ['before the node pays', 'as the node answers', 'before the node answers']
  test.each(sample(moments, name === 'embedded' ? 3 : 1))(
    'a process killed with -9 %s leaves a withdrawal that is paid once',
    async moment => {
      let child: ChildProcess | undefined
      const node = await serveNode(moment, () => child?.kill('SIGKILL'))
      const dir = await mkdtemp(join(tmpdir(), 'octagent-withdrawal-'))
      onTestFinished(() => rm(dir, { recursive: true, force: true }))
      const database =
        name === 'embedded' ? {} : { WITHDRAWAL_DATABASE: url(), WITHDRAWAL_SCHEMA: freshSchema() }
      const live = async (laterMs: number, invoice: string[] = []) => {
        const env = { ...process.env, ...database, WITHDRAWAL_LATER_MS: String(laterMs) }
        child = spawn(process.execPath, [program, dir, node.url, ...invoice], {
          stdio: ['ignore', 'pipe', 'inherit'],
          env,
        })
        const said = child.stdout ? await text(child.stdout) : ''
        return said === '' ? undefined : JSON.parse(said)
      }
      const key = async () => '33'.repeat(32)
      const wallet = await openDevelopmentLightning({ key })
      const order = { msat: 6_000_000n, memo: 'mine', expirySeconds: 3600 }
      const { invoice } = await wallet.createInvoice(order)
      const killed = await live(0, [invoice])
      if (moment !== 'as the node answers') expect(killed).toBeUndefined()
      const known = moment === 'before the node pays' ? preimage : expect.toBeOneOf([preimage, null])
      // What the killed process held it holds until its lease ends.
      for (const laterMs of [1000, 200_000, 400_000]) {
        const now = await live(laterMs)
        expect(now).toMatchObject({ sats: 3900, faults: [] })
        if (laterMs > 180_000) expect(now).toMatchObject({ state: 'sent', preimage: known })
      }
      expect(node.paid).toEqual([invoice])
    },
  )
})

import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdcAbi } from '../../../mcp/lib/evm-abi.ts'
import { makeSigningKey } from '../../../mcp/ports/sign/sign.ts'
import {
  anvilClient,
  balanceOf,
  canPay,
  makePayer,
  openTestDevnet,
  signTerms,
} from '../../payment/evm-chain.ts'
import type { Payload, Requirements } from '../../payment/x402.ts'
import { folder, octagent } from '../../program/run.ts'
import { postgresIsHere, withDatabase } from '../../store/database.ts'
import { startTarget, type Target } from '../target.ts'
import { send } from '../wire.ts'
import { report } from './report.ts'

const kills = Number(process.env.ATTACK_KILLS ?? 40)
const lanes = 8

/** Tools that settle before and after their work. */
const tools = [
  { path: '/cat/api/feed', body: {} },
  { path: '/data/tools/json-repair', body: { json: '{"a": 1,' } },
] as const

type Purchase = { tool: (typeof tools)[number]; payment: Payload; answers: Set<string> }

const database = withDatabase()
const engines = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]

describe.runIf(canPay).each(engines)('on %s', engine => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  const dir = folder()
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  let environment: Record<string, string>

  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    const facilitator = generatePrivateKey()
    const { address } = privateKeyToAccount(facilitator)
    await (await anvilClient(net.devnet.chain('base'))).setBalance({ address, value: 10n ** 20n })
    environment = {
      OCTAGENT_DATA: dir,
      OCTAGENT_PEPPER: 'p'.repeat(43),
      OCTAGENT_SIGNING_KEY: makeSigningKey(),
      OCTAGENT_NETWORKS: `base=${rpc}`,
      OCTAGENT_PAY_TO: payTo,
      OCTAGENT_FACILITATOR_KEY: facilitator,
      ...(engine === 'postgres' && { DATABASE_URL: database() }),
    }
  })
  afterAll(async () => {
    await net.close()
    await rm(dir, { recursive: true, force: true })
  })

  test(`killed with -9 ${kills} times while many pay, it takes nothing for nothing`, async () => {
    const chain = net.devnet.chain('base')
    const { account } = await makePayer(chain, 1_000_000_000n)
    const purchases: Purchase[] = []

    const post = ({ tool: { path, body }, payment }: Purchase, { url }: Target) =>
      send(url, {
        method: 'POST',
        path,
        headers: {
          'content-type': 'application/json',
          'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
        },
        body: Buffer.from(JSON.stringify(body)),
      })

    const ask = async (purchase: Purchase, target: Target): Promise<number> => {
      const { status, text } = await post(purchase, target)
      if (status === 200) purchase.answers.add(text)
      return status
    }

    const quote = async (
      { path, body }: Purchase['tool'],
      { url }: Target,
    ): Promise<Requirements | undefined> => {
      const { status, headers } = await send(url, {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
      })
      if (status !== 402) return undefined
      const header = Buffer.from(headers['payment-required'] ?? '', 'base64').toString()
      return (JSON.parse(header) as { accepts: Requirements[] }).accepts[0]
    }

    const lane = async (target: Target): Promise<void> => {
      while (target.exitCode() === undefined) {
        const open = purchases.filter(({ answers }) => answers.size === 0)
        const again = randomInt(3) === 0 ? open[randomInt(open.length || 1)] : undefined
        if (again) {
          await ask(again, target)
          continue
        }
        const tool = tools[randomInt(tools.length)] ?? tools[0]
        const offer = await quote(tool, target)
        if (!offer) {
          await wait(50)
          continue
        }
        // Hours of validity, so that what is open at the end may still be settled.
        const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 36_000)
        const payment = await signTerms(chain, account, offer, { validBefore })
        const purchase: Purchase = { tool, payment, answers: new Set() }
        purchases.push(purchase)
        await ask(purchase, target)
      }
    }

    for (let kill = 0; kill < kills; kill++) {
      const target = await startTarget(environment)
      const paying = Promise.all(Array.from({ length: lanes }, () => lane(target)))
      await wait(randomInt(100, 3_000))
      target.child.kill('SIGKILL')
      await target.exit
      await paying
    }

    const target = await startTarget(environment)
    const end = Date.now() + 300_000
    // In rounds: what a killed process had begun is waited for, and nobody waits for that of another.
    let open = purchases.filter(({ answers }) => answers.size === 0)
    while (open.length > 0 && Date.now() < end) {
      const pending: Purchase[] = []
      for (const purchase of open) {
        const status = await ask(purchase, target)
        if (status !== 200 && status !== 402 && status !== 409) pending.push(purchase)
      }
      open = pending
      if (open.length > 0) await wait(500)
    }
    // Whoever has an answer gets the same one again.
    for (const purchase of purchases) if (purchase.answers.size > 0) await ask(purchase, target)

    const reader = await chain.reader()
    const isUsed = async ({ payment }: Purchase): Promise<boolean> => {
      const { from, nonce } = payment.payload.authorization as { from: Hex; nonce: Hex }
      const token = { address: chain.network.token.address, abi: usdcAbi }
      return reader.readContract({ ...token, functionName: 'authorizationState', args: [from, nonce] })
    }
    let paidForNothing = 0
    let servedForNothing = 0
    let total = 0n
    for (const purchase of purchases) {
      const isSpent = await isUsed(purchase)
      if (isSpent) total += BigInt(purchase.payment.accepted.amount)
      if (isSpent && purchase.answers.size === 0) paidForNothing++
      if (!isSpent && purchase.answers.size > 0) servedForNothing++
    }
    const twoAnswers = purchases.filter(({ answers }) => answers.size > 1).length
    const listing = await octagent(['owed', '--json'], { ...environment, PORT: new URL(target.url).port })
    await target.stop()
    report(`paid-kill on ${engine}`, {
      kills,
      purchases: purchases.length,
      answered: purchases.filter(({ answers }) => answers.size > 0).length,
      paidForNothing,
      servedForNothing,
      twoAnswers,
      owed: listing.stdout.trim(),
    })
    expect([paidForNothing, servedForNothing, twoAnswers]).toEqual([0, 0, 0])
    expect(await balanceOf(chain, payTo)).toBe(total)
    expect(purchases.length).toBeGreaterThan(kills)
  })
})

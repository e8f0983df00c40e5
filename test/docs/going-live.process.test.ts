// Costs: the walk of an operator as printed, over local chains: a backup, a kill, a restore, and the first paid call of each contract.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createTestClient, encodeFunctionData, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { vaultDeployment } from '../../mcp/services/money/vault/deploy.ts'
import { freePort } from '../free-port.ts'
import { balanceOf, onAnvil, openTestDevnet } from '../payment/evm-chain.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { startStripe } from '../stripe.ts'
import { isShell, readBlocks } from './document.ts'
import { openRealChains } from './real-chains.ts'
import { runShell } from './shell.ts'

const document = 'docs/going-live.md'
const documents = [
  document,
  'docs/going-live/contracts.md',
  'docs/going-live/postgresql.md',
  'docs/going-live/cards.md',
]

/** Capabilities that hold or move money in contracts of the money service. */
const contracts = ['money.bridge', 'money.gas', 'money.vaults']

const sold = ['money.basket_signals', 'money.bridge_transfer', 'money.gas_sponsor', 'tasks.assign_worker']

const databaseUrl = withDatabase()

/** Containers are bubblewrap here: no daemon is asked for. */
const canContain = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0

/** What is run in containers has a test of its own. */
const isContainer = ({ text }: { text: string }) => text.includes('docker ')

const isSettings = (text: string) => text.split('\n').every(line => /^([A-Z_]+=\S+)?$/.test(line))

onAnvil(document, () => {
  const dir = mkdtempSync(join(tmpdir(), 'octagent-going-live-'))
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  beforeAll(async () => {
    net = await openTestDevnet()
    for (const name of ['dist', 'node_modules', 'examples']) symlinkSync(resolve(name), join(dir, name))
  })

  const openChain = async () => ({
    rpc: (await net.devnet.network('base')).rpc,
    chain: net.devnet.chain('base'),
    url: `http://127.0.0.1:${await freePort()}`,
  })

  const accountOf = (settings: string, name: string) =>
    privateKeyToAccount((new RegExp(`^${name}=(0x\\w+)$`, 'm').exec(settings)?.[1] ?? '0x') as Hex)

  /** What the document asks people to send. */
  const fund = async (settings: string) => {
    const { rpc } = await openChain()
    const anvil = createTestClient({ mode: 'anvil', transport: http(rpc) })
    const till = accountOf(settings, 'OCTAGENT_REFUND_KEY')
    const buyer = accountOf(settings, 'BUYER_KEY')
    const gas = accountOf(settings, 'OCTAGENT_FACILITATOR_KEY')
    await anvil.setBalance({ address: gas.address, value: 10n ** 15n })
    await anvil.setBalance({ address: till.address, value: 5n * 10n ** 14n })
    await sendUsdc(buyer.address, 1_000_000n)
    return { till: till.address, buyer: buyer.address }
  }

  const sendUsdc = async (...args: [to: Hex, amount: bigint]) => {
    const chain = net.devnet.chain('base')
    const data = encodeFunctionData({ abi: testUsdc.abi, functionName: 'mint', args })
    const wallet = await chain.wallet((await net.devnet.keys()).demo)
    await chain.confirm(await wallet.send({ to: networks.base.token.address, data }), 10_000)
  }

  /** Sends what the document asks for, and fills in the parameters whose defaults are of the real Base. */
  const fundContracts = async (real: Awaited<ReturnType<typeof openRealChains>>, settings: string) => {
    const gas = accountOf(settings, 'OCTAGENT_FACILITATOR_KEY').address
    await real.fund(gas, accountOf(settings, 'MONEY_GAS_SUBMITTER_KEY').address)
    await sendUsdc(accountOf(settings, 'BUYER_KEY').address, 5_000_000n)
    const context = { network: 'base', usdc: networks.base.token.address, sender: gas, config: {} as never }
    const filled = Object.entries(vaultDeployment.parameters(context)).map(([name, { value, about }]) => [
      name,
      { value: (real.vaultParameters as Record<string, unknown>)[name] ?? value, about },
    ])
    writeFileSync(join(dir, 'deploy-vaults-base.json'), JSON.stringify(Object.fromEntries(filled)))
  }
  afterAll(async () => {
    await net.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('leads to a paid call and a refund, word for word', { timeout: 600_000 }, async () => {
    const { rpc, chain, url } = await openChain()
    const second = await freePort()
    const [stripe, real] = await Promise.all([startStripe(), openRealChains(net)])
    const environment = {
      PORT: new URL(url).port,
      OCTAGENT_DATA: join(dir, 'data'),
      STRIPE_API: stripe.url,
      ...real.environment,
    }
    const settings = () => readFileSync(join(dir, 'live.env'), 'utf8')
    let wallets: Awaited<ReturnType<typeof fund>> | undefined
    const balances = async () =>
      wallets ? [await balanceOf(chain, wallets.till), await balanceOf(chain, wallets.buyer)] : []
    const seen: bigint[][] = []
    try {
      const followed = documents.filter(name => postgresIsHere || !name.includes('postgresql'))
      for (const block of followed.flatMap(readBlocks)) {
        const text = block.text
          .replaceAll('https://mainnet.base.org', rpc)
          .replaceAll('https://rpc.arc.example', real.arc)
          .replaceAll('postgres://octagent:secret@127.0.0.1:5432/octagent', databaseUrl())
          .replaceAll("'s/8402/8403/'", `'s/${new URL(url).port}/${second}/'`)
          .replaceAll('8403', String(second))
        if (block.path !== undefined && !isShell(block)) {
          writeFileSync(join(dir, block.path), text.replaceAll('http://127.0.0.1:8402', url))
          continue
        }
        if (!isShell(block) || isSettings(text) || isContainer(block)) continue
        const output = join(dir, 'output')
        const before = await balances()
        await runShell(`{\n${text}} > ${output}`, { url, dir, environment, instead: {} })
        const printed = readFileSync(output, 'utf8')
        if (text.includes('main.js wallets')) wallets = await fund(settings())
        if (/main\.js doctor$/m.test(text)) {
          const lines = printed.split('\n').filter(line => /^ +(ok|off) +base /.test(line))
          expect(lines.length).toBeGreaterThanOrEqual(5)
          for (const line of lines) expect(line).toMatch(/^ +ok /)
        }
        if (/buy\.mjs|main\.js refund/.test(text))
          seen.push((await balances()).map((balance, index) => balance - (before[index] ?? 0n)))
        if (text.includes('MONEY_GAS_SIGNER_KEY')) await fundContracts(real, settings())
        if (text.includes('buy-second')) expect(printed.match(/cat\.feed/g)).toHaveLength(2)
        else if (text.includes('main.js sales')) for (const name of sold) expect(printed).toContain(name)
        if (text.includes('topup/card')) {
          const [session] = stripe.sessions()
          if (!session) throw new Error('no page of Stripe')
          const event = stripe.completed(session)
          const headers = { 'content-type': 'application/json', 'stripe-signature': stripe.sign(event) }
          const told = await fetch(`${url}/auth/card/events`, { method: 'POST', headers, body: event })
          expect(told.status).toBe(200)
        }
        if (text.includes('balance.json')) expect(printed).toContain('"balance_sats":9900')
        if (text.includes('main.js audit')) expect(printed).toContain('all agree')
        if (text.includes('main.js refund')) expect(printed).toMatch(/refunded in 0x[0-9a-f]{64}/)
        if (text.includes('main.js owed')) expect(printed).toContain('nothing is owed')
        if (text.includes('escrow --network base --dry-run'))
          await createTestClient({ mode: 'anvil', transport: http(rpc) }).setBalance({
            address: accountOf(settings(), 'OCTAGENT_FACILITATOR_KEY').address,
            value: 10n ** 17n,
          })
        if (text.includes('escrow --network base --dry-run'))
          expect(printed).toMatch(/^escrow of tasks +0x\w{40} +\d{6,7}$/m)
        if (text.includes('grep -E'))
          for (const name of ['tasks.escrow', 'tasks.sessions', ...(text.includes('money') ? contracts : [])])
            expect(printed).toMatch(new RegExp(`ok +${name} +on`))
        if (text.includes('bridge_transfer'))
          expect(printed).toMatch(/"state": "(?:burned|attested|minted)"[\s\S]*"weightsBps"/)
        if (text.includes('live.env stocks.mjs')) expect(printed).toMatch(/state: 'mined'[\s\S]*exists: true/)
        if (text.includes('pay-session')) expect(printed).toContain("state: 'settled'")
      }
    } finally {
      for (const name of ['octagent.pid', 'second.pid'])
        try {
          process.kill(Number(readFileSync(join(dir, name), 'utf8')), 'SIGKILL')
        } catch {
          // It has ended, as the document says.
        }
      await Promise.all([stripe.stop(), real.close()])
    }
    // Paid, given back, and given back no second time.
    expect(seen).toEqual(
      [
        [100_000n, -100_000n],
        [-100_000n, 100_000n],
        [0n, 0n],
        [200_000n, -200_000n],
      ].slice(0, postgresIsHere ? 4 : 3),
    )
  })

  test.skipIf(!canContain)(
    'leads from the image to a paid call, a crash, a restore and books that agree',
    { timeout: 600_000 },
    async () => {
      const { rpc, chain, url } = await openChain()
      const machine = mkdtempSync(join(tmpdir(), 'octagent-machine-'))
      const state = join(machine, 'docker')
      const docker = `node ${resolve('test/ops/docker.mjs')} ${state} ${resolve('.')} "$@"`
      const environment = { PORT: new URL(url).port }
      const settings = () => readFileSync(join(machine, 'live.env'), 'utf8')
      const run = async (text: string) => {
        await runShell(`{\n${text}\n} > output`, { url, dir: machine, environment, instead: { docker } })
        return readFileSync(join(machine, 'output'), 'utf8')
      }
      const printed: string[] = []
      try {
        let wallets: Awaited<ReturnType<typeof fund>> | undefined
        for (const block of readBlocks(document).filter(isContainer)) {
          printed.push(await run(block.text.replaceAll('https://mainnet.base.org', rpc)))
          wallets ??= await fund(settings())
        }
        expect(await balanceOf(chain, wallets?.till ?? '')).toBe(100_000n)
        // The new volume has what the lost one had.
        expect(printed.at(-1)).toContain('1 settled')
        expect(printed.at(-1)).toContain('1 transactions checked, 0 could not be')
        expect(printed.at(-1)).toContain('all agree')
      } finally {
        await run('docker kill octagent').catch(() => undefined)
        rmSync(machine, { recursive: true, force: true })
      }
    },
  )
})

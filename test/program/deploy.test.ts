// Costs: each command of an operator in a process of its own, on a local chain.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, parseEther, stringToHex, zeroAddress } from 'viem'
import { entryPoint08Address } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testMessageTransmitter } from '../../contracts/test-message-transmitter.ts'
import { testTokenMessenger } from '../../contracts/test-token-messenger.ts'
import { testTokenMessengerWithFees } from '../../contracts/test-token-messenger-with-fees.ts'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import {
  messengerAddress,
  messengerWithFeesAddress,
  transmitterAddress,
} from '../../mcp/services/money/bridge/chains.ts'
import { setUpGasChain } from '../../mcp/services/money/gas/devnet.ts'
import { openLocalBasket } from '../../mcp/services/money/vault/devnet.ts'
import { anvilClient, onAnvil, openTestDevnet } from '../payment/evm-chain.ts'
import { openRpcProxy } from '../payment/rpc-proxy.ts'
import { sample } from '../stress.ts'
import { folder, octagent } from './run.ts'

const newKey = () => generatePrivateKey()
const addressOf = (key: Hex) => privateKeyToAccount(key).address

const feed: Hex = '0x00000000000000000000000000000000000000fe'
/** Answers every question with the text `ETH / USD`. */
const feedCode: Hex = `0x602060005260096020527f${stringToHex('ETH / USD', { size: 32 }).slice(2)}60405260606000f3`

onAnvil('octagent deploy', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let env: Record<string, string>
  const dir = folder()
  const [relayer, signer, submitter] = [newKey(), newKey(), newKey()]
  const settings: Record<string, string> = {}
  const file = (capability: string) => join(dir, `deploy-${capability}.json`)
  const setUp = async (name: 'base' | 'arc' | 'arbitrum' | 'polygon') => {
    const anvil = await anvilClient(net.devnet.chain(name))
    await anvil.setBalance({ address: addressOf(relayer), value: parseEther('1') })
    await anvil.setCode({ address: messengerAddress, bytecode: testTokenMessenger.deployedBytecode })
    await anvil.setCode({ address: transmitterAddress, bytecode: testMessageTransmitter.deployedBytecode })
    return anvil
  }
  const run = (capability: string, ...more: string[]) =>
    octagent(['deploy', capability, '--network', 'base', '--parameters', file(capability), ...more], env)
  const remember = (stdout: string) => {
    for (const line of stdout.trim().split('\n')) {
      const at = line.indexOf('=')
      settings[line.slice(0, at)] = line.slice(at + 1)
    }
  }
  const edit = (capability: string, values: Record<string, unknown>) => {
    const parameters = JSON.parse(readFileSync(file(capability), 'utf8'))
    for (const [name, value] of Object.entries(values)) parameters[name].value = value
    writeFileSync(file(capability), JSON.stringify(parameters))
  }
  const base = () => net.devnet.chain('base')
  const sent = async () =>
    (await base().reader()).getTransactionCount({ address: addressOf(relayer), blockTag: 'latest' })

  /** Kills a run with -9 once its transaction of this number is with the node. */
  const killAt = async (capability: string, transaction: number) => {
    const child = spawn(
      process.execPath,
      ['dist/main.js', 'deploy', capability, '--network', 'base', '--parameters', file(capability)],
      { env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env } },
    )
    const exit = new Promise<NodeJS.Signals | null>(done => child.once('exit', (_, signal) => done(signal)))
    let seen = 0
    proxy.knobs.interfere = ({ method }) => {
      // The node has it once the next question comes.
      if (seen === transaction) child.kill('SIGKILL')
      if (method === 'eth_sendRawTransaction') seen++
      return undefined
    }
    const signal = await exit
    proxy.knobs.interfere = () => undefined
    return signal
  }

  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    proxy = await openRpcProxy(rpc)
    const [reader, anvil] = [await base().reader(), await setUp('base')]
    await anvil.setCode({
      address: messengerWithFeesAddress,
      bytecode: testTokenMessengerWithFees.deployedBytecode,
    })
    await anvil.setCode({ address: feed, bytecode: feedCode })
    await setUpGasChain(reader, { signer: addressOf(newKey()), submitter: addressOf(newKey()) })
    env = {
      OCTAGENT_DATA: folder(),
      OCTAGENT_NETWORKS: `base=${proxy.url}`,
      OCTAGENT_RPC_BASE: proxy.url,

      OCTAGENT_PAY_TO: addressOf(newKey()),
      OCTAGENT_FACILITATOR_KEY: newKey(),
      OCTAGENT_RELAYER_KEY: relayer,
      MONEY_GAS_SIGNER_KEY: signer,
      MONEY_GAS_SUBMITTER_KEY: submitter,
    }
  })
  afterAll(async () => {
    await proxy.close()
    await net.close()
  })

  test('a dry run sends nothing, writes the parameters with their meaning, and measures the gas', async () => {
    const missing = await run('bridge')
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('--dry-run first')])
    const dry = await run('bridge', '--dry-run')
    expect(dry.stdout).toMatch(/^lane base-arc +0x[0-9a-fA-F]{40} +[1-9]\d{6}$/m)
    expect(dry.stdout).toMatch(/^relayer of base-ethereum +[1-9]\d{4}$/m)
    expect(dry.stdout).toMatch(/gas at [\d.]+ gwei cost 0\.\d+ coins/)
    const parameters = JSON.parse(readFileSync(file('bridge'), 'utf8'))
    for (const { about } of Object.values<{ about: string }>(parameters))
      expect(about.length).toBeGreaterThan(20)
    expect(await sent()).toBe(0)
  })

  test('lanes are deployed where the dry run said, and take the relayer', async () => {
    edit('bridge', { to: ['arc', 'arbitrum'] })
    const [, lane] = /lane base-arc +(0x\w+)/.exec((await run('bridge', '--dry-run')).stdout) ?? []
    const done = await run('bridge')
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`"base-arc":"${lane}"`) })
    remember(done.stdout)
    expect(await sent()).toBe(4)
    const again = await run('bridge')
    expect([again.code, again.stdout, await sent()]).toEqual([0, done.stdout, 4])
  })

  test('what the owner alone may do is printed, and done by nobody else', async () => {
    const other = join(dir, 'owned.json')
    writeFileSync(other, readFileSync(file('bridge')))
    const parameters = JSON.parse(readFileSync(other, 'utf8'))
    parameters.owner.value = addressOf(newKey())
    writeFileSync(other, JSON.stringify(parameters))
    const before = await sent()
    const args = ['deploy', 'bridge', '--network', 'base', '--parameters', other]
    const measure = async () => {
      const { stdout } = await octagent([...args, '--dry-run', '--json'], env)
      return (JSON.parse(stdout) as { steps: { gas: string }[] }).steps.map(({ gas }) => Number(gas))
    }
    const measured = await measure()
    // A node that cannot run several calls measures the same, the owner's among them.
    proxy.knobs.interfere = ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32601, message: 'Method not found' } } : undefined
    const besides = await measure()
    proxy.knobs.interfere = () => undefined
    expect(besides.length).toBe(4)
    for (const [index, gas] of besides.entries()) {
      expect(gas).toBeGreaterThan((measured[index] ?? 0) * 0.95)
      expect(gas).toBeLessThan((measured[index] ?? 0) * 1.25)
    }
    const done = await octagent(args, env)
    expect(done.code).toBe(1)
    expect(done.stderr).toContain(`${parameters.owner.value} has yet to send 0x`)
    expect(await sent()).toBe(before + 2)
  })

  test('vaults: killed after two of four contracts, the next run deploys the other two', async () => {
    const { rpc } = await net.devnet.network('base')
    const evm = openEvm({
      rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] },
      local: chain => (chain === 'base' ? () => net.devnet.network('base') : undefined),
    })
    const local = evm.local?.('base')
    if (!local) throw new Error(`no chain at ${rpc}`)
    const basket = await openLocalBasket(local, base().network.token.address)
    env.MONEY_STOCKS = JSON.stringify(basket.stocks)
    await run('vaults', '--dry-run').catch(() => undefined)
    edit('vaults', { router: basket.router, sequencer: zeroAddress, stablecoinFeed: basket.stablecoinFeed })
    const before = await sent()
    expect((await run('vaults', '--dry-run')).stdout).toMatch(/^factory of vaults +0x\w{40} +\d+$/m)
    expect(await killAt('vaults', 2)).toBe('SIGKILL')
    expect(await sent()).toBe(before + 2)
    const done = await run('vaults')
    expect([done.code, await sent()]).toEqual([0, before + 4])
    expect(done.stderr).toMatch(/^there +oracle 0x\w{40}$/m)
    remember(done.stdout)
  })

  test('gas: a deposit that was under way when the run was killed is not made twice', async () => {
    const anvil = await anvilClient(base())
    await run('gas', '--dry-run')
    const [before, coins] = [await sent(), parseEther('0.01')]
    // The sponsor is mined, its deposit is not.
    expect(await killAt('gas', 1)).toBe('SIGKILL')
    await anvil.setAutomine(false)
    const killed = killAt('gas', 1)
    expect(await killed).toBe('SIGKILL')
    const going = run('gas')
    setTimeout(() => void anvil.setAutomine(true).then(() => anvil.mine({ blocks: 1 })), 3_000)
    const done = await going
    expect([done.code, await sent()]).toEqual([0, before + 2])
    remember(done.stdout)
    const deposit = await (await base().reader()).readContract({
      address: entryPoint08Address,
      abi: [
        {
          type: 'function',
          name: 'balanceOf',
          stateMutability: 'view',
          inputs: [{ name: '', type: 'address' }],
          outputs: [{ name: '', type: 'uint256' }],
        },
      ],
      functionName: 'balanceOf',
      args: [settings.MONEY_GAS_SPONSOR as Hex],
    })
    expect(deposit).toBe(coins)
  })

  const elsewhere = [
    ['bridge', 'arc', /^MONEY_BRIDGE_LANES=\{.*"arc-base":"(0x\w{40})"/m],
    ['gas', 'polygon', /^MONEY_GAS_SPONSOR=(0x\w{40})$/m],
    ['sessions', 'arbitrum', /^TASKS_SESSION_ESCROWS=\{.*"arbitrum":"(0x\w{40})"/m],
  ] as const
  // The networks differ in their defaults alone: one by default, all with STRESS=1.
  test.each(sample(elsewhere, 1))(
    '%s is deployed on %s by its defaults',
    async (capability, name, printed) => {
      const anvil = await setUp(name)
      const chain = net.devnet.chain(name)
      const { rpc } = await net.devnet.network(name)
      if (capability === 'gas')
        await setUpGasChain(await chain.reader(), {
          signer: addressOf(newKey()),
          submitter: addressOf(newKey()),
        })
      await anvil.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000_000n })
      const node =
        name === 'polygon'
          ? { OCTAGENT_RPC_POLYGON: rpc }
          : { OCTAGENT_NETWORKS: `${env.OCTAGENT_NETWORKS},${name}=${rpc}` }
      const there = { ...env, ...settings, ...node }
      const parameters = ['--parameters', join(dir, `deploy-${capability}-${name}.json`)]
      const args = ['deploy', capability, '--network', name, ...parameters]
      expect(await octagent([...args, '--dry-run'], there)).toMatchObject({ code: 0 })
      const done = await octagent(args, there)
      const [, address] = printed.exec(done.stdout) ?? []
      expect([done.code, address], done.stderr).toEqual([0, expect.any(String)])
      expect(await (await chain.reader()).getCode({ address: address as Hex })).toMatch(/^0x\w{1000}/)
      expect(await octagent(args, there)).toMatchObject({ code: 0, stdout: done.stdout })
    },
  )

  test('the program takes what was deployed, and says which variable names something else', async () => {
    for (const capability of ['escrow', 'sessions']) remember((await run(capability)).stdout)
    env.MONEY_GAS_FEED_BASE = feed
    type Finding = { what: string; ok: boolean; note: string }
    const look = async (more: Record<string, string> = {}) => {
      const { stdout } = await octagent(['doctor', '--json'], { ...env, ...settings, ...more })
      const { sections } = JSON.parse(stdout) as { sections: { title: string; findings: Finding[] }[] }
      const { findings = [] } = sections.find(({ title }) => title === 'Capabilities') ?? {}
      return Object.fromEntries(findings.map(({ what, note }) => [what, note]))
    }
    const names = ['money.bridge', 'money.gas', 'money.vaults', 'tasks.escrow', 'tasks.sessions']
    expect(await look()).toMatchObject(Object.fromEntries(names.map(name => [name, 'on'])))
    const sponsor = settings.MONEY_GAS_SPONSOR ?? ''
    const escrow = settings.TASKS_ESCROW_CONTRACT ?? ''
    expect(
      await look({
        MONEY_BRIDGE_LANES: JSON.stringify({ 'base-arc': sponsor }),
        MONEY_GAS_SPONSOR: escrow,
        MONEY_VAULT_FACTORY: escrow,
        TASKS_ESCROW_CONTRACT: sponsor,
        TASKS_SESSION_ESCROWS: JSON.stringify({ base: sponsor }),
      }),
    ).toMatchObject({
      'money.bridge': expect.stringContaining('no StablecoinBridge of this version (MONEY_BRIDGE_LANES)'),
      'money.gas': expect.stringContaining('no GasSponsor of this version (MONEY_GAS_SPONSOR)'),
      'money.vaults': expect.stringContaining('MONEY_VAULT_FACTORY'),
      'tasks.escrow': expect.stringContaining('no TaskEscrow of this version (TASKS_ESCROW_CONTRACT)'),
      'tasks.sessions': expect.stringContaining('no ChannelEscrow of this version (TASKS_SESSION_ESCROWS)'),
    })
    expect(await look({ MONEY_CONTRACT_OWNERS: escrow })).toMatchObject({
      'money.bridge': expect.stringContaining(`belongs to ${addressOf(relayer)}`),
      'money.gas': expect.stringContaining('(MONEY_CONTRACT_OWNERS)'),
      'money.vaults': 'on',
    })
    expect(await look({ MONEY_BRIDGE_COST_BPS: '299' })).toMatchObject({
      'money.bridge': expect.stringContaining('permits costs of 300 hundredths of a percent'),
    })
  })

  test.each([
    ['an unknown capability', ['piano', '--network', 'base'], {}, 'The capabilities are: bridge'],
    ['a network where it is not', ['escrow', '--network', 'arc'], {}, 'The networks are: base.'],
    [
      'a published key',
      ['escrow', '--network', 'base'],
      { OCTAGENT_RELAYER_KEY: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80' },
      'account of a local chain',
    ],
    ['no network', ['escrow', '--network', 'base'], { OCTAGENT_NETWORKS: '' }, 'has no node here'],
  ] as const)('%s is refused with what to do', async (_, args, more, words) => {
    const { code, stderr } = await octagent(['deploy', ...args], { ...env, ...more })
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
  })

  test('an account that cannot pay for it is told how much is missing, and nothing is sent', async () => {
    const poor = newKey()
    edit('gas', { deposit: '0.5' })
    const args = ['deploy', 'gas', '--network', 'base', '--parameters', file('gas')]
    const { code, stderr } = await octagent(args, { ...env, OCTAGENT_RELAYER_KEY: poor })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`${addressOf(poor)} has 0 coins for gas, and needs about 0\\.49\\d+`)),
    ])
  })

  test('a parameter that does not fit is named', async () => {
    edit('bridge', { costBps: 5000 })
    const { code, stderr } = await run('bridge', '--dry-run')
    expect([code, stderr]).toEqual([1, expect.stringContaining('costBps')])
  })
})

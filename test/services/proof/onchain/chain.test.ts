import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAction } from '../../../../mcp/services/proof/onchain/action.ts'
import { encode, maxUint256 } from '../../../../mcp/services/proof/onchain/examples.ts'
import { readScene } from '../../../../mcp/services/proof/onchain/read-scene.ts'
import { reviewScene } from '../../../../mcp/services/proof/onchain/review-action.ts'
import { onAnvil } from '../../../payment/evm-chain.ts'
import { evmAt, startBase, startNode } from './chain.ts'

const v2 = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)'
const stranger = '0x00000000000000000000000000000000a1ce0001'
const unit = 10n ** 18n

onAnvil('with a node', () => {
  let base: Awaited<ReturnType<typeof startBase>>
  let me: Hex
  const at: Record<string, Hex> = {}

  beforeAll(async () => {
    base = await startBase()
    me = base.account.address.toLowerCase() as Hex
    const tokens = ['PlainToken', 'FeeToken', 'LyingToken', 'HoneypotToken', 'FrozenToken', 'GrantingToken']
    for (const name of [...tokens, 'Router']) at[name] = await base.deploy(name)
    at.Thief = stranger
    at.FalseStake = await base.deploy('FalseStake', [at.PlainToken, stranger])
    at.Beacon = await base.deploy('Beacon', [at.Router])
    const zero = '0x0000000000000000000000000000000000000000'
    at.Proxy = await base.deploy('Proxy', [at.Router, zero])
    at.BeaconProxy = await base.deploy('Proxy', [zero, at.Beacon])
    at.EmptyProxy = await base.deploy('Proxy', ['0x00000000000000000000000000000000000e3707', zero])
    at.Minimal = '0x00000000000000000000000000000000000c10e0'
    await base.client.setCode({
      address: at.Minimal,
      bytecode: `0x363d3d373d3d3d363d73${at.Router?.slice(2)}5af43d82803e903d91602b57fd5bf3`,
    })
    for (const name of tokens) {
      await base.write('PlainToken', at[name] ?? '0x', 'mint', [me, 100n * unit])
      await base.write('PlainToken', at[name] ?? '0x', 'mint', [at.Router, 1000n * unit])
    }
    await base.write('HoneypotToken', at.HoneypotToken ?? '0x', 'setMarket', [at.Router])
    await base.write('PlainToken', at.PlainToken ?? '0x', 'approve', [at.Router, 50n * unit])
    await base.write('PlainToken', at.PlainToken ?? '0x', 'approve', [at.FalseStake, maxUint256])
    // Four days later.
    await base.client.increaseTime({ seconds: 4 * 86_400 })
    await base.client.mine({ blocks: 3 })
    at.Young = await base.deploy('Router')
  }, 120_000)
  afterAll(() => base.stop())

  const review = async (
    transaction: object,
    { evm = base.evm, ...more }: { evm?: typeof base.evm; [field: string]: unknown } = {},
  ) =>
    reviewScene(
      { knownBad: [], evm, signal: new AbortController().signal },
      await readScene(readAction({ from: me, chain_id: 8453, transaction, ...more }), new Date()),
      'text',
    )
  const send = (token: string, to = stranger, amount = unit) =>
    review({ to: at[token], data: encode('transfer(address,uint256)', [to, amount]) })
  const buy = (token: string, router = 'Router') =>
    review({
      to: at[router],
      data: encode(v2, [unit, (unit * 99n) / 100n, [at.PlainToken, at[token]], me, 2n ** 39n]),
    })
  const approve = (spender: string) =>
    review({ to: at.PlainToken, data: encode('approve(address,uint256)', [at[spender], 5n]) })
  const rulesOf = ({ findings }: Awaited<ReturnType<typeof review>>) => findings.map(({ rule }) => rule)

  test('a transfer that does what it says is approved, with what it changes', async () => {
    const answer = await send('PlainToken')
    expect(answer).toMatchObject({ verdict: 'approve', confidence: 0.9 })
    expect(answer.onchainRisk?.chain?.simulation).toEqual({
      method: 'eth_simulateV1',
      ok: true,
      changes: [{ token: at.PlainToken, delta: String(-unit) }],
    })
    expect(answer.checksRun).toEqual(expect.arrayContaining(['honeypot', 'hidden-outflow', 'young-contract']))
  })

  test('coins that are sent are counted', async () => {
    const answer = await review({ to: stranger, value: '1000' })
    expect(answer.onchainRisk?.chain?.simulation?.changes).toEqual([{ token: null, delta: '-1000' }])
    expect(answer.verdict).toBe('approve')
  })

  test('more than the account has fails', async () => {
    expect(rulesOf(await send('PlainToken', stranger, 1000n * unit))).toContain('would-fail')
    expect(rulesOf(await review({ to: stranger, value: String(10n ** 24n) }))).toContain('would-fail')
  })

  test('a token that keeps a part, and one that moves nothing', async () => {
    expect(rulesOf(await send('FeeToken'))).toContain('short-arrival')
    expect(await send('LyingToken')).toMatchObject({ verdict: 'reject' })
  })

  test('a call with a harmless name that takes what was allowed once is rejected', async () => {
    const answer = await review({ to: at.FalseStake, data: encode('stake(uint256)', [1n]) })
    expect(answer.verdict).toBe('reject')
    expect(rulesOf(answer)).toContain('hidden-outflow')
  })

  test('a transfer that gives leave on the way is rejected', async () => {
    const answer = await send('GrantingToken')
    expect(answer.verdict).toBe('reject')
    expect(rulesOf(answer)).toContain('hidden-allowance')
  })

  test('a fair trade is taken, and a honeypot, a frozen token and a costly one are not', async () => {
    const fair = await buy('GrantingToken')
    expect(rulesOf(fair)).not.toContain('honeypot')
    const honeypot = await buy('HoneypotToken')
    expect(honeypot.verdict).toBe('reject')
    expect(rulesOf(honeypot)).toContain('honeypot')
    expect(rulesOf(await buy('FrozenToken'))).toContain('honeypot')
    expect(rulesOf(await buy('FeeToken'))).toContain('honeypot')
  })

  test('a spender with a key is rejected, a contract is not', async () => {
    expect(rulesOf(await approve('Thief'))).toContain('spender-without-code')
    expect(await approve('Router')).toMatchObject({ verdict: 'approve' })
  })

  test('a spender that took on foreign code still has a key', async () => {
    await base.client.setCode({ address: stranger, bytecode: `0xef0100${at.Router?.slice(2)}` })
    expect(rulesOf(await approve('Thief'))).toContain('spender-without-code')
    await base.client.setCode({ address: stranger, bytecode: '0x' })
  })

  test('an account that signs with foreign code is told', async () => {
    await base.client.setCode({ address: me, bytecode: `0xef0100${at.Router?.slice(2)}` })
    expect(rulesOf(await send('PlainToken'))).toContain('delegated-signer')
    await base.client.setCode({ address: me, bytecode: '0x' })
  })

  test('an address without a contract on this chain', async () => {
    const answer = await review({ to: stranger, data: encode('approve(address,uint256)', [at.Router, 5n]) })
    expect(rulesOf(answer)).toContain('contract-without-code')
  })

  test('proxies are looked behind: ERC-1967, beacon, minimal, and one to nowhere', async () => {
    expect(rulesOf(await approve('Proxy'))).toContain('upgradeable-contract')
    expect(rulesOf(await approve('BeaconProxy'))).toContain('upgradeable-contract')
    expect(rulesOf(await approve('EmptyProxy'))).toContain('empty-proxy')
    expect(rulesOf(await approve('Minimal'))).not.toContain('empty-proxy')
  })

  test('a contract of today is told from one of last week', async () => {
    expect(rulesOf(await approve('Young'))).toContain('young-contract')
    expect(rulesOf(await approve('Router'))).not.toContain('young-contract')
  })

  test('an allowance that stands is told', async () => {
    expect(rulesOf(await approve('Router'))).toContain('allowance-stands')
  })

  test('a call within a multicall is found out by what it does', async () => {
    const data = encode('aggregate3((address target, bool allowFailure, bytes callData)[])', [
      [
        {
          target: at.PlainToken,
          allowFailure: false,
          callData: encode('approve(address,uint256)', [stranger, maxUint256]),
        },
      ],
    ])
    expect(await review({ to: at.Router, data })).toMatchObject({ verdict: 'reject' })
  })

  describe('that is not as it should be', () => {
    type Answer = Parameters<typeof startNode>[1]
    const through = async (answer: Answer, attemptMs?: number) => {
      const node = await startNode(base.rpc, answer)
      try {
        return await review(
          { to: at.PlainToken, data: encode('transfer(address,uint256)', [stranger, unit]) },
          { evm: evmAt(node.url, attemptMs) },
        )
      } finally {
        await node.stop()
      }
    }

    test('without eth_simulateV1 the dry run is one eth_call', async () => {
      const answer = await through(method =>
        method === 'eth_simulateV1' ? { error: { code: -32601, message: 'method not found' } } : undefined,
      )
      expect(answer.onchainRisk?.chain?.simulation).toMatchObject({ method: 'eth_call', ok: true })
      expect(answer.onchainRisk?.chain?.simulation?.changes).toEqual([
        { token: at.PlainToken, delta: String(-unit) },
      ])
    })

    test.each<[string, Answer]>([
      ['says nothing', () => 'hang'],
      ['fails', () => ({ error: { code: -32000, message: 'internal error' } })],
      ['is of another chain', method => (method === 'eth_chainId' ? { result: '0x1' } : undefined)],
      ['answers in no JSON', () => '<html>'],
      [
        'says nonsense of code',
        method => (method === 'eth_getCode' ? { result: { code: true } } : undefined),
      ],
      ['says nonsense of storage', method => (method === 'eth_getStorageAt' ? { result: '0x1' } : undefined)],
      ['runs fewer calls', method => (method === 'eth_simulateV1' ? { result: [{ calls: [] }] } : undefined)],
      [
        'runs them without a status',
        method => (method === 'eth_simulateV1' ? { result: [{ calls: [{ returnData: '0x' }] }] } : undefined),
      ],
      ['says null', method => (method === 'eth_blockNumber' ? { result: null } : undefined)],
    ])('a node that %s is never a pass', async (_, answer) => {
      const judged = await through(answer, 300)
      expect(judged.verdict).not.toBe('approve')
      expect(judged.findings.map(({ rule }) => rule)).toContain('chain-unread')
      expect(judged.notChecked.length).toBeGreaterThan(3)
    })
  })

  test('a caller that has gone ends it', async () => {
    const node = await startNode(base.rpc, () => 'hang')
    const stop = new AbortController()
    const action = readAction({ from: me, chain_id: 8453, transaction: { to: stranger, value: '1' } })
    const scene = await readScene(action, new Date())
    const answer = reviewScene({ knownBad: [], evm: evmAt(node.url), signal: stop.signal }, scene, 'text')
    stop.abort(new Error('gone'))
    await Promise.allSettled([answer])
    await node.stop()
  })

  test('a chain that no node is known of is said not to be checked', async () => {
    const answer = await review({ to: stranger, value: '1' }, { chain_id: 999_999 })
    expect(answer.notChecked.join()).toContain('999999')
    expect(answer).toMatchObject({ verdict: 'approve', confidence: 0.75 })
  })
})

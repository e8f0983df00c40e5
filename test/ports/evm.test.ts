import { afterEach, describe, expect, test } from 'vitest'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import { openLocalChain } from '../internet/evm-chain.ts'
import { type Fault, type Node, startNode } from '../internet/evm-node.ts'

const nodes: Node[] = []
afterEach(() => {
  for (const node of nodes.splice(0)) node.stop()
})

const chain = openLocalChain({ id: 8453, head: 1_000 })

/** Nodes of Base in order of preference, with their faults, and the port to them. */
const open = async (faults: (Fault | undefined)[], more: { attemptMs?: number; now?: () => number } = {}) => {
  const own = await Promise.all(faults.map(() => startNode(chain.answer)))
  own.forEach((node, index) => {
    node.fail(faults[index])
  })
  nodes.push(...own)
  const base = own.map(({ url }) => ({ reveal: () => url }))
  const none = { eth: [], arbitrum: [], optimism: [], polygon: [] }
  const evm = openEvm({ rpc: { ...none, base }, attemptMs: 500, ...more })
  return {
    nodes: own,
    evm,
    head: (options = {}) => evm.ask('base', 'eth_blockNumber', [], options),
    requests: () => own.map(({ asked }) => asked.filter(method => method !== 'eth_chainId').length),
  }
}

const refusal = async (promise: Promise<unknown>) => {
  const cause = await promise.then(
    () => undefined,
    error => error,
  )
  return cause as { code: string; message: string; toProblem(): { retryable: boolean } }
}

const toHost = (node: Node | undefined) => new URL(node?.url ?? '').host
const head = { result: '0x3e8' }

const all: Fault[] = [
  'html',
  'too many requests',
  'limit exceeded',
  'server error',
  'forbidden',
  'silent',
  'silent in the body',
  'huge',
  'broken JSON',
  'redirect',
  'hangs up',
  'other chain',
  'no such method',
]

describe('the chains', () => {
  test.each(all)('are read from the next node when the first one fails with %s', async fault => {
    const { head: ask, nodes } = await open([fault, undefined])
    expect(await ask()).toEqual({ ...head, endpoint: toHost(nodes[1]) })
  })

  test.each<[Fault, string]>([
    ['html', 'an answer that is no JSON-RPC'],
    ['too many requests', 'HTTP 429'],
    ['limit exceeded', 'too many requests'],
    ['server error', 'HTTP 503'],
    ['silent', 'no answer in 0.5 s'],
    ['silent in the body', 'no answer in 0.5 s'],
    ['other chain', 'the id of another chain'],
    ['hangs up', 'no connection'],
  ])('are a retryable outage when all nodes fail with %s', async (fault, why) => {
    const { head: ask } = await open([fault, fault])
    const error = await refusal(ask())
    expect(error).toMatchObject({ code: 'upstream', message: `Base does not answer just now: ${why}.` })
    expect(error.toProblem().retryable).toBe(true)
  })

  test('are not asked where no node is configured', async () => {
    const { evm } = await open([])
    expect(await refusal(evm.ask('polygon', 'eth_blockNumber', []))).toMatchObject({ code: 'upstream' })
  })

  test('are read from a node with a password in its address', async () => {
    const { nodes } = await open([undefined])
    const url = nodes[0]?.url.replace('http://', 'http://me:s%40cret@') ?? ''
    const rpc = { eth: [], base: [{ reveal: () => url }], arbitrum: [], optimism: [], polygon: [] }
    const answer = await openEvm({ rpc }).ask('base', 'eth_blockNumber', [])
    expect(answer).toEqual({ ...head, endpoint: toHost(nodes[0]) })
    expect(nodes[0]?.authorization()).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`)
  })
})

describe('a node', () => {
  test('that failed is not asked again before it has rested', async () => {
    let now = 0
    const { head: ask, requests, nodes } = await open(['server error', undefined], { now: () => now })
    await ask()
    await ask()
    expect(requests()).toEqual([1, 2])
    nodes[0]?.fail()
    now = 5_001
    expect(await ask()).toMatchObject({ endpoint: toHost(nodes[0]) })
    await ask()
    expect(requests()).toEqual([3, 2])
  })

  test('rests twice as long after each fault', async () => {
    let now = 0
    const { head: ask, requests } = await open(['server error', undefined], { now: () => now })
    await ask()
    now = 5_001
    await ask()
    now = 12_000
    await ask()
    expect(requests()).toEqual([2, 3])
    now = 15_002
    await ask()
    expect(requests()).toEqual([3, 4])
  })

  test('that counts requests rests as long as it says', async () => {
    let now = 0
    const { head: ask, requests } = await open(['too many requests', undefined], { now: () => now })
    await ask()
    now = 6_900
    await ask()
    expect(requests()).toEqual([1, 2])
    now = 7_001
    await ask()
    expect(requests()).toEqual([2, 3])
  })

  test('that rests is asked all the same when no other answers', async () => {
    const { head: ask, nodes } = await open(['server error'])
    await refusal(ask())
    nodes[0]?.fail()
    expect(await ask()).toMatchObject(head)
  })

  test('is asked for its chain once, however many ask', async () => {
    const { head: ask, nodes } = await open([undefined])
    await Promise.all([ask(), ask(), ask()])
    await ask()
    expect(nodes[0]?.asked.filter(method => method === 'eth_chainId')).toHaveLength(1)
  })

  test('of another chain is never believed, not even as the last one', async () => {
    const { head: ask } = await open(['other chain'])
    for (let turn = 0; turn < 3; turn++) expect(await refusal(ask())).toMatchObject({ code: 'upstream' })
  })

  test('is not blamed for what a caller had no time for', async () => {
    const { head: ask, nodes } = await open([undefined, undefined], { attemptMs: 2_000 })
    await ask()
    nodes[0]?.fail('silent')
    expect(await refusal(ask({ deadlineMs: 50 }))).toMatchObject({ code: 'upstream' })
    nodes[0]?.fail()
    expect(await ask()).toMatchObject({ endpoint: toHost(nodes[0]) })
  })
})

describe('an answer', () => {
  test('may be that a call reverts, which no other node is asked about', async () => {
    const { evm, requests } = await open([undefined, undefined])
    chain.accounts.set(`0x${'1'.repeat(40)}`, {
      code: '0x60',
      calls: { '0x12345678': { revert: '0xdeadbeef' } },
    })
    const call = { to: `0x${'1'.repeat(40)}`, data: '0x12345678' }
    expect(await evm.ask('base', 'eth_call', [call, 'latest'])).toMatchObject({
      error: { code: 3, message: 'execution reverted', data: '0xdeadbeef' },
    })
    expect(requests()).toEqual([1, 0])
  })

  test('may be that nodes cannot say it, which two of them have to say', async () => {
    const faults: Fault[] = ['no such method', 'no such method', 'no such method']
    const { evm, requests } = await open(faults)
    expect(await evm.ask('base', 'eth_blobBaseFee', [])).toMatchObject({ error: { code: -32601 } })
    expect(requests()).toEqual([1, 1, 0])
  })

  test('that is too large is asked for twice at most, and the nodes do not rest for it', async () => {
    const { head: ask, requests, nodes } = await open(['huge', 'huge', undefined])
    expect(await ask({ maxBytes: 1_000 })).toMatchObject({ error: { message: 'the answer is too large' } })
    expect(requests()).toEqual([1, 1, 0])
    for (const node of nodes) node.fail()
    expect(await ask()).toMatchObject({ endpoint: toHost(nodes[0]) })
  })

  test('that there is nothing counts when a second node says so', async () => {
    const { evm, requests, nodes } = await open(['knows nothing', undefined])
    const ask = (confirmNull: boolean) => evm.ask('base', 'eth_blockNumber', [], { confirmNull })
    expect(await ask(false)).toMatchObject({ result: null })
    expect(await ask(true)).toEqual({ ...head, endpoint: toHost(nodes[1]) })
    nodes[1]?.fail('knows nothing')
    expect(await ask(true)).toMatchObject({ result: null })
    nodes[1]?.fail('server error')
    expect(await ask(true)).toMatchObject({ result: null })
    expect(requests()).toEqual([4, 3])
  })

  test('ends with the caller', async () => {
    const { head: ask } = await open(['silent', undefined], { attemptMs: 20_000 })
    const { signal, abort } = (() => {
      const watch = new AbortController()
      return { signal: watch.signal, abort: () => watch.abort() }
    })()
    const error = refusal(ask({ signal }))
    setTimeout(abort, 20)
    expect(await error).toMatchObject({ code: 'timeout' })
  })
})

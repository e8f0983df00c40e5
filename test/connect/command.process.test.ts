import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { octagent } from '../program/run.ts'
import { demoKey, folders } from './client.ts'
import { bought, offer, priced, type Received, type ScriptedRemote, startRemote } from './remote.ts'

const walletKey = `0x${'7e'.repeat(32)}`
const children: ChildProcess[] = []
let remote: ScriptedRemote
let answer: (received: Received) => unknown = () => bought
beforeAll(async () => {
  remote = await startRemote(received => answer(received))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await remote.stop()
})

const environmentOf = ({ data, wallet }: ReturnType<typeof folders>, more: Record<string, string> = {}) => ({
  OCTAGENT_DATA: data,
  OCTAGENT_WALLET_DIR: wallet,
  ...more,
})

/** `octagent connect` in a process of its own. */
const run = (folder: ReturnType<typeof folders>, args: string[] = [], more: Record<string, string> = {}) => {
  const child = spawn(process.execPath, ['dist/main.js', 'connect', remote.url.href, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: folder.data, ...environmentOf(folder, more) },
  })
  children.push(child)
  const seen = { out: '', err: '' }
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', chunk => {
    seen.out += chunk
  })
  child.stderr.on('data', chunk => {
    seen.err += chunk
  })
  const exit = new Promise<number | null>(done => child.once('close', done))
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const messages = () =>
    seen.out
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as { id: number; result?: { content: { text: string }[] } })
  const buy = async (id: number, values: object = {}) => {
    send({ id, method: 'tools/call', params: { name: 'buy', arguments: values } })
    const found = () => messages().find(message => message.id === id)
    await expect.poll(found, { interval: 20 }).toBeDefined()
    return (
      found()
        ?.result?.content.map(({ text }) => text)
        .join('\n') ?? ''
    )
  }
  return { child, seen, exit, send, messages, buy }
}

const sells = ({ payment }: Received) => (payment ? bought : priced())

test('eight processes that race for one budget pay what is in it, and nothing more', async () => {
  const code = `
    import { openPaymentRecord } from './dist/connect/record.js'
    const record = openPaymentRecord(process.argv[1])
    let granted = 0
    for (let n = 0; n < 20; n++) {
      const claim = record.claim({ wallet: '0xaa', micros: 50n, call: 'c', tool: 't', server: 's', version: 2, accepted: {}, resource: null, authorization: {} }, { budget: 1000n, total: undefined, since: 0 })
      if (claim.id) granted++
      if (claim.id) record.mark(claim.id, 'settled')
    }
    console.log(granted)`
  const { wallet } = folders()
  const race = () =>
    new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code, wallet])
      let out = ''
      child.stdout.on('data', chunk => {
        out += chunk
      })
      child.stderr.on('data', chunk => reject(new Error(String(chunk))))
      child.once('close', () => resolve(Number(out)))
    })
  const granted = await Promise.all(Array.from({ length: 8 }, race))
  expect(granted.reduce((sum, one) => sum + one, 0)).toBe(20)
})

describe('the command', () => {
  test('pays, ends when its input does, and has nothing but messages on stdout', async () => {
    answer = sells
    const folder = folders()
    const { buy, child, exit, messages, send, seen } = run(folder)
    child.stdin.write('garbage\n')
    expect(await buy(1)).toBe('bought')
    send({ id: 2, method: 'ping' })
    child.stdin.end()
    expect(await exit).toBe(0)
    expect(messages()).not.toEqual([])
    expect(seen.err).toContain('0.01 USDC on Base')
  })

  test('has a payment of the same call sent again after kill -9', async () => {
    answer = ({ payment }) => (payment ? new Promise(() => undefined) : priced())
    const folder = folders()
    const before = remote.payments().length
    const killed = run(folder, ['--budget', '0.015'])
    killed.send({ id: 1, method: 'tools/call', params: { name: 'buy', arguments: { of: 'killed' } } })
    await expect.poll(() => remote.payments().length).toBe(before + 1)
    killed.child.kill('SIGKILL')
    await killed.exit
    answer = sells
    const next = run(folder, ['--budget', '0.015'])
    // What was signed counts, so there is no budget for another call; the one that was killed is paid already.
    expect(await next.buy(1, { of: 'another' })).toContain('0.01 of 0.015 USD')
    expect(await next.buy(2, { of: 'killed' })).toBe('bought')
    expect(remote.payments()).toHaveLength(before + 1)
    next.child.stdin.end()
    expect(await next.exit).toBe(0)
    const { stdout } = await octagent(['spent', '--json'], environmentOf(folder))
    expect(JSON.parse(stdout)).toMatchObject({
      wallets: [{ day: '0.01', total: '0.01' }],
      payments: expect.arrayContaining([expect.objectContaining({ state: 'settled', tool: 'buy' })]),
    })
  })

  test('finishes what it has paid for when it is asked to end', async () => {
    answer = ({ payment }) =>
      payment ? new Promise(resolve => setTimeout(() => resolve(bought), 300)) : priced()
    const folder = folders()
    const before = remote.payments().length
    const { child, exit, send } = run(folder)
    send({ id: 1, method: 'tools/call', params: { name: 'buy' } })
    await expect.poll(() => remote.payments().length).toBe(before + 1)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(readFileSync(join(folder.wallet, 'payments.jsonl'), 'utf8')).toContain('"settled"')
  })

  test('takes limits that are changed while it runs, unless it has its own', async () => {
    answer = ({ payment }) => (payment ? bought : priced([offer({ amount: '60000' })]))
    const folder = folders()
    const free = run(folder)
    const bound = run(folder, ['--per-call', '0.05'])
    expect(await free.buy(1)).toContain('a call may cost 0.05 USD at most')
    const { code, stdout } = await octagent(['limits', '--per-call', '0.06'], environmentOf(folder))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/per-call +0\.06 USD/)])
    expect(await free.buy(2)).toBe('bought')
    expect(await bound.buy(1)).toContain('a call may cost 0.05 USD at most')
  })

  test.each([
    [['connect'], 'Say where to'],
    [['connect', 'ftp://example.com'], 'no address that begins with'],
    [['connect', 'https://ada:secret@example.com'], 'The address holds a password.'],
    [['connect', 'http://example.com/mcp', '--key', 'secret'], 'unencrypted'],
    [['connect', 'http://127.0.0.1/mcp', '--budget', 'much'], '--budget: "much" is no amount'],
    [['connect', 'http://127.0.0.1/mcp', '--network', 'moon'], 'knows no USDC on "moon"'],
    [['limits', '--per-call', '-1'], 'per-call'],
    [['spent', '--release', 'none'], 'There is no payment none.'],
  ])('refuses %j', async (args, words) => {
    const { code, stdout, stderr } = await octagent(args, environmentOf(folders()))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('secret')
  })
})

describe('the key of the wallet', () => {
  test('is made once, readable by its owner alone, and printed nowhere', async () => {
    const folder = folders()
    const first = await octagent(['wallet'], environmentOf(folder))
    const file = join(folder.wallet, 'wallet.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder.wallet).mode & 0o777).toBe(0o700)
    chmodSync(file, 0o644)
    const second = await octagent(['wallet', '--json'], environmentOf(folder))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first.stdout.split('\n')[0]).toBe(JSON.parse(second.stdout).address)
    const { key } = JSON.parse(readFileSync(file, 'utf8')) as { key: string }
    expect(JSON.stringify([first, second])).not.toContain(key.slice(2))
  })

  test('is one, of processes that make it at once', async () => {
    const folder = folders()
    const made = await Promise.all(
      [1, 2, 3, 4].map(() => octagent(['wallet', '--json'], environmentOf(folder))),
    )
    expect(new Set(made.map(({ stdout }) => JSON.parse(stdout).address)).size).toBe(1)
    expect(readdirSync(folder.wallet)).toEqual(['wallet.json'])
  })

  test('is not overwritten where it cannot be read', async () => {
    const folder = folders()
    await octagent(['wallet'], environmentOf(folder))
    const file = join(folder.wallet, 'wallet.json')
    writeFileSync(file, '{"key":"0x12')
    const { code, stderr } = await octagent(['wallet'], environmentOf(folder))
    expect([code, stderr]).toEqual([1, expect.stringContaining('holds no key of a wallet')])
    expect(readFileSync(file, 'utf8')).toBe('{"key":"0x12')
  })

  test.each([`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '0xnonsense-secret'])(
    'is not repeated where it is none: %s',
    async key => {
      const { code, stderr, stdout } = await octagent(
        ['wallet'],
        environmentOf(folders(), { OCTAGENT_WALLET_KEY: key }),
      )
      expect(code).toBe(1)
      expect(stderr + stdout).not.toContain(key.slice(2))
    },
  )

  test('is in no message, report, request or record, whatever goes wrong', async () => {
    const real = offer({ extra: {} })
    const cuts: number[] = []
    const answers = [
      () => priced([real]),
      ({ payment }: Received) => (payment ? bought : priced([real])),
      ({ payment, response, index }: Received) => {
        if (!payment) return priced([real])
        cuts.push(index)
        return cuts.length === 1 ? void response.destroy() : bought
      },
      () => priced([offer({ payTo: 'nobody' })]),
    ]
    const folder = folders()
    const { buy, child, exit, seen } = run(folder, ['--network', 'base'], { OCTAGENT_WALLET_KEY: walletKey })
    for (const [index, one] of answers.entries()) {
      answer = one
      await buy(index + 1, { index })
    }
    child.stdin.end()
    await exit
    const requests = remote.received.map(({ body, headers }) => [body, headers])
    const record = readFileSync(join(folder.wallet, 'payments.jsonl'), 'utf8')
    const everything = JSON.stringify([seen, requests, record])
    for (const key of [walletKey, demoKey]) expect(everything).not.toContain(key.slice(2))
    expect(readdirSync(folder.wallet)).toEqual(['payments.jsonl'])
  })
})

test('a payment is given back by hand once it has ended, and not before', async () => {
  answer = () => priced([offer({ maxTimeoutSeconds: 1 })])
  const folder = folders()
  const { buy, child } = run(folder, ['--budget', '0.01'])
  await buy(1)
  const list = async () =>
    JSON.parse((await octagent(['spent', '--json'], environmentOf(folder))).stdout) as {
      payments: { id: string; state: string }[]
      wallets: { day: string }[]
    }
  const { payments } = await list()
  const [payment] = payments
  expect(payment?.state).toBe('refused')
  const release = () => octagent(['spent', '--release', payment?.id ?? ''], environmentOf(folder))
  await expect.poll(async () => (await release()).code).toBe(0)
  expect((await release()).stderr).toContain('This payment is released.')
  expect(await list()).toMatchObject({ wallets: [{ day: '0.00' }] })
  child.stdin.end()
})

import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guardScript, startAnvil } from '../../mcp/ports/devnet/anvil.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import { demoFunds } from '../../mcp/ports/devnet/fund.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { abi, anvilBinary, balanceOf, onAnvil, openTestDevnet } from './evm-chain.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-keys-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('keys are made once per folder, for its owner only, also by two at once', async () => {
  const folder = join(dir, 'new')
  const [one, two] = await Promise.all([openDevnetKeys(folder), openDevnetKeys(folder)])
  expect(two).toEqual(one)
  expect(new Set(Object.values(one)).size).toBe(3)
  const file = join(folder, 'devnet.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await chmod(file, 0o644)
  expect(await openDevnetKeys(folder)).toEqual(one)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await openDevnetKeys(join(dir, 'other'))).not.toEqual(one)
})

test('a damaged key file is refused with what to do', async () => {
  await writeFile(join(dir, 'devnet.json'), '{"facilitator":"0x12"}')
  await expect(openDevnetKeys(dir)).rejects.toMatchObject({
    code: 'unavailable',
    extra: { hint: expect.stringContaining('Delete') },
  })
})

test('without the binary there is no chain, and a sentence on how to get one', async () => {
  const devnet = openDevnet({ dir: join(dir, 'none'), binary: join(dir, 'no-such-anvil') })
  await expect(devnet.network('base')).rejects.toMatchObject({
    code: 'unavailable',
    extra: { hint: expect.stringContaining('ANVIL') },
  })
})

test('a program that is not anvil is given up with its last words', async () => {
  const fake = join(dir, 'fake')
  await writeFile(fake, '#!/bin/sh\necho "no such option" >&2\nexit 2\n', { mode: 0o755 })
  await expect(startAnvil(fake, 1)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('no such option'),
  })
})

/** The process of a parent whose command line holds a text. */
const findChild = (parent: number, text: string): number => {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const rows = lines.map(line => /^\s*(\d+)\s+(\d+)\s(.*)$/s.exec(line))
  const pid = rows.find(row => Number(row?.[2]) === parent && row?.[3]?.includes(text))?.[1]
  if (pid === undefined) throw new Error(`no such process: ${text}`)
  return Number(pid)
}

const isAlive = (rpc: string): Promise<boolean> =>
  fetch(rpc).then(
    () => true,
    () => false,
  )

onAnvil('a local chain', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  beforeAll(async () => {
    net = await openTestDevnet()
  })
  afterAll(() => net.close())

  test('has the real chain id and token, a funded demo wallet, and is started once', async () => {
    const [one, two] = await Promise.all([net.devnet.network('arbitrum'), net.devnet.network('arbitrum')])
    expect(two).toEqual(one)
    expect(one.rpc).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const chain = net.devnet.chain('arbitrum')
    const reader = await chain.reader()
    expect(await reader.getChainId()).toBe(42161)
    const token = { address: chain.network.token.address, abi }
    expect(await reader.readContract({ ...token, functionName: 'name' })).toBe('USD Coin')
    expect(await reader.readContract({ ...token, functionName: 'decimals' })).toBe(6)
    const demo = await chain.wallet((await net.devnet.keys()).demo)
    expect(await balanceOf(chain, demo.address)).toBe(demoFunds)
    const renameData = encodeFunctionData({ abi, functionName: 'initialize', args: ['Other'] })
    await expect(demo.send({ to: token.address, data: renameData })).rejects.toThrow(/already initialized/)
  })

  test('is waited for by a process that has nothing else to do', async () => {
    const module = new URL('../../dist/mcp/ports/devnet/anvil.js', import.meta.url).href
    const script = `
      import { startAnvil } from ${JSON.stringify(module)}
      const anvil = await startAnvil(${JSON.stringify(await findAnvil(anvilBinary))}, 8453)
      await anvil.stop()
      console.log('stopped')`
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
    ).toContain('stopped')
  })

  test('tells browsers of other origins nothing', async () => {
    const { rpc } = await net.devnet.network('arbitrum')
    const response = await fetch(rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('that ended is started anew as another generation, and repeats no transaction', async () => {
    const chain = net.devnet.chain('base')
    const first = await net.devnet.network('base')
    const demo = await chain.wallet((await net.devnet.keys()).demo)
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [demo.address, 1n] })
    const send = () => demo.send({ to: chain.network.token.address, data })
    const hash = await send()
    const shell = findChild(process.pid, '--chain-id 8453 ')
    process.kill(findChild(shell, '--chain-id 8453 '), 'SIGKILL')
    await expect.poll(async () => (await net.devnet.network('base')).generation).not.toBe(first.generation)
    const reader = await chain.reader()
    expect(await balanceOf(chain, demo.address)).toBe(demoFunds)
    await expect(reader.getTransactionReceipt({ hash })).rejects.toThrow()
    expect(await send()).not.toBe(hash)
  })

  test('ends when its process is killed, which then has no say in it', async () => {
    const flags = ['--host', '127.0.0.1', '--port', '0', '--accounts', '0']
    const command = JSON.stringify(['-c', guardScript, 'sh', await findAnvil(anvilBinary), ...flags])
    const parent = spawn(process.execPath, [
      '-e',
      `require('node:child_process').spawn('sh', ${command}, { stdio: ['pipe', 'inherit', 'inherit'], detached: true })`,
    ])
    let output = ''
    parent.stdout.on('data', chunk => {
      output += chunk
    })
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Listening on')
    const rpc = `http://${/Listening on (\S+)/.exec(output)?.[1]}`
    expect(await isAlive(rpc)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(rpc), { timeout: 60_000 }).toBe(false)
  })

  test('ends when it is closed, and is not started again', async () => {
    const { devnet, close } = await openTestDevnet()
    const { rpc } = await devnet.network('base-sepolia')
    await close()
    expect(await isAlive(rpc)).toBe(false)
    await expect(devnet.network('base-sepolia')).rejects.toThrow(/closed/)
  })
})

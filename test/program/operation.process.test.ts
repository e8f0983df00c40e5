// Costs: each command of the program, and servers.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usages } from '../../cli/usage.ts'
import { freePort } from '../free-port.ts'
import { canPay } from '../payment/evm-chain.ts'
import { folder, octagent, type Running, serve } from './run.ts'

describe('a server with a public address', () => {
  let server: Running
  let environment: Record<string, string>
  beforeAll(async () => {
    environment = {
      PORT: String(await freePort()),
      OCTAGENT_DATA: folder(),
      OCTAGENT_BIND: '0.0.0.0',
      PUBLIC_URL: 'https://agents.example.org',
      OCTAGENT_METRICS_TOKEN: 'token-of-the-operator',
      OCTAGENT_DEVNET: 'false',
      OCTAGENT_DRAIN_GRACE: '0',
    }
    server = await serve(environment).catch(() => {
      throw new Error('it did not start')
    })
  })
  afterAll(async () => {
    server.child.kill('SIGKILL')
    await server.exit
  })

  test('is spoken to from the machine itself', async () => {
    const called = await octagent(['call', 'cat.sign', 'name=Ada', 'note=hi'], environment)
    expect(JSON.parse(called.stdout)).toMatchObject({ name: 'Ada' })
    const owed = await octagent(['owed', '--json'], environment)
    expect([owed.code, JSON.parse(owed.stdout)]).toEqual([0, []])
    const refund = await octagent(['refund', 'nothing'], environment)
    expect([refund.code, refund.stderr]).toEqual([1, expect.not.stringContaining('Host')])
    const doctor = await octagent(['doctor'], environment)
    expect(doctor.stdout).toContain('The server at http://127.0.0.1:')
  })

  const probe = (path: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      const outgoing = request(
        { hostname, port, path, headers: { host: '10.0.0.7:8402', ...headers } },
        answer => {
          answer.resume().on('end', () => resolve(answer.statusCode))
        },
      )
      outgoing.on('error', reject)
      outgoing.end()
    })

  test('answers probes by its address, and nothing else', async () => {
    expect(await probe('/healthz')).toBe(200)
    expect(await probe('/readyz')).toBe(200)
    expect(await probe('/metrics', { authorization: 'Bearer token-of-the-operator' })).toBe(200)
    expect(await probe('/metrics', { authorization: 'Bearer another' })).toBe(401)
    expect(await probe('/metrics')).toBe(403)
    expect(await probe('/metrics', { host: 'agents.example.org' })).toBe(401)
    expect(await probe('/registry.json')).toBe(403)
  })
})

describe('--help, --version and --json', () => {
  const environment = () => ({ OCTAGENT_DATA: folder(), PORT: '1' })

  test.each(Object.keys(usages))('%s tells how it is used, and does nothing', async command => {
    for (const option of ['--help', '-h']) {
      const { code, stdout, stderr } = await octagent([command, 'whatever', option], environment())
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`Usage: octagent ${command}`)
      expect(stdout).toMatch(new RegExp(`^Examples?:\n  octagent ${command}`, 'm'))
    }
    const { code, stdout } = await octagent([command, '--version'], environment())
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  })

  test('answers and failures are JSON where that is asked for', async () => {
    const list = await octagent(['list', 'cat', '--json'])
    expect(JSON.parse(list.stdout)).toContainEqual({ name: 'cat.pet', cost: 'free', title: 'Pet the cat' })
    const failed = await octagent(['owed', '--json'], environment())
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([1, { code: 'unavailable' }])
    const doctor = await octagent(['doctor', '--json'], { ...environment(), OCTAGENT_DEVNET: 'false' })
    const report = JSON.parse(doctor.stdout) as { ok: boolean; sections: { title: string }[] }
    expect(report.ok).toBe(true)
    expect(JSON.parse((await octagent(['completions', 'bash', '--json'])).stdout)).toMatchObject({
      shell: 'bash',
    })
    expect(Object.keys(JSON.parse((await octagent(['--help', '--json'])).stdout) as object)).toContain(
      'serve',
    )
  })
})

describe('what is wrong is said in a sentence', () => {
  const plain =
    /\bat \S+ \(|node:internal|ZodError|TypeError|Invalid input|expected string|received|Too small|"code":/

  test.each([
    ['a command', ['serv'], {}, 'Did you mean serve?'],
    ['a service', ['list', 'datta'], {}, 'Did you mean data?'],
    ['a tool', ['call', 'data.dns-lokup'], {}, 'Did you mean data.dns-lookup,'],
    ['an option', ['call', 'cat.pet', '--ulr', 'x'], {}, 'Did you mean --url?'],
    ['words that start nothing', ['say', 'hello there cats'], {}, 'The nearest are cat.pet,'],
    ['a call of nothing', ['call'], {}, 'octagent call <service>.<tool>'],
    ['a variable', ['doctor'], { OCTAGENT_BNID: 'x' }, 'did you mean OCTAGENT_BIND?'],
    ['a level', ['doctor'], { OCTAGENT_LOG: 'inof' }, 'OCTAGENT_LOG: must be one of'],
    ['a port', ['doctor'], { PORT: 'eighty' }, 'PORT: must be a'],
    ['a port that there is not', ['doctor'], { PORT: '70000' }, 'PORT: must be at most 65535'],
    ['a proxy', ['doctor'], { TRUST_PROXY: 'banana' }, 'TRUST_PROXY: "banana" is neither a number of hops'],
    ['proxies', ['doctor'], { TRUST_PROXY: '10.0.0.0/8, 300.1.1.1' }, '"300.1.1.1"'],
    ['a short secret', ['doctor'], { OCTAGENT_METRICS_TOKEN: 'x' }, 'must have at least 16 characters'],
    ['an address', ['call', 'cat.pet', '--url', 'localhost:1'], {}, 'http://'],
    [
      'a server that is not there',
      ['call', 'cat.pet', '--url', 'http://127.0.0.1:1'],
      {},
      'No server answers',
    ],
  ])('%s', async (_, args, environment, sentence) => {
    const { code, stdout, stderr } = await octagent(args, {
      OCTAGENT_DATA: folder(),
      PORT: '1',
      ...environment,
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain(sentence)
    expect(stdout + stderr).not.toMatch(plain)
  })

  test('a folder that is a file, or that nobody may write', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    const { code, stderr } = await octagent(['serve'], { OCTAGENT_DATA: file, PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toContain('is not a folder')
    expect(stderr).not.toMatch(plain)
    if (process.getuid?.() === 0) return
    const closed = folder()
    chmodSync(closed, 0o500)
    const refused = await octagent(['serve'], { OCTAGENT_DATA: closed, PORT: '0' })
    expect(refused.stderr).toContain('cannot be written')
  })

  test('a folder that another process has', async () => {
    const data = folder()
    const server = await serve({ OCTAGENT_DATA: data, OCTAGENT_DEVNET: 'false' }, ['cat'])
    const { code, stderr } = await octagent(['serve', 'cat'], { OCTAGENT_DATA: data, PORT: '0' })
    server.child.kill('SIGKILL')
    await server.exit
    expect(code).toBe(1)
    expect(stderr).toContain('is in use by process')
    expect(stderr).not.toMatch(plain)
  })

  test('a wrong input of a tool', async () => {
    const { stdout } = await octagent(['call', 'cat.sign', '{"name":5}'], {
      OCTAGENT_DATA: folder(),
      PORT: '1',
      OCTAGENT_DEVNET: 'false',
    })
    expect(JSON.parse(stdout)).toMatchObject({
      detail: expect.stringMatching(/name: must be text, not a number; note: is missing: text is needed/),
    })
  })
})

test('doctor tells problems first', async () => {
  const data = join(folder(), 'inner')
  mkdirSync(data)
  const { stdout } = await octagent(['doctor'], {
    OCTAGENT_DATA: data,
    PORT: '1',
    OCTAGENT_DEVNET: 'false',
    DNS_SERVERS: '127.0.0.1:1',
    DATABSE_URL: 'x',
  })
  const [first] = stdout.split('\n\n')
  expect(first).toMatch(/^Problems\n/)
  expect(first).toMatch(/off +DATABSE_URL .*did you mean DATABASE_URL\?/)
  expect(first).toMatch(/off +dns/)
  expect(first).toMatch(/off +payments +no way to pay/)
  expect(stdout).toMatch(/ok +disk +\d+ MB free/)
})

test.skipIf(!canPay)('call --pay pays, and call --key says who calls', async () => {
  const environment = { OCTAGENT_DATA: folder(), PORT: String(await freePort()) }
  const server = await serve(environment)
  try {
    const purr = await octagent(['call', 'cat.feed', '--pay'], environment)
    expect(purr.stderr).toMatch(/^paid on eip155:8453 in 0x[0-9a-f]{64}$/m)
    expect(JSON.parse(purr.stdout)).toMatchObject({ number: 1 })
    const opened = await octagent(['call', 'broker.register_account', 'accepted_terms=true'], environment)
    const { api_key: key } = JSON.parse(opened.stdout) as { api_key: string }
    const account = await octagent(['call', 'broker.get_account', '--key', key], environment)
    expect([account.code, JSON.parse(account.stdout)]).toMatchObject([0, { handle: expect.any(String) }])
    const ally = await octagent(
      ['call', 'data.dns-lookup', 'domain=example.com', '--key', 'wrong'],
      environment,
    )
    expect([ally.code, JSON.parse(ally.stdout)]).toMatchObject([1, { code: 'unauthenticated' }])
  } finally {
    server.child.kill('SIGKILL')
    await server.exit
  }
})

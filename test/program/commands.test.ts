// Costs: a server, and each command of an operator.
import { execFileSync, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openInstallation } from '../../mcp/ports/installation.ts'
import { folder, octagent, octagentAlone, serve } from './run.ts'

let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: folder() })
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.exit
})

test('list shows every tool with its price', async () => {
  const { code, stdout } = await octagentAlone(['list'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^cat\.pet +free +Pet the cat$/m)
  expect(stdout).toMatch(/^data\.dns-lookup +free \(60 a minute with free=1\); else 0\.002 USD/m)
  expect((await octagent(['list', 'cat'])).stdout).not.toContain('data.')
})

test('find ranks as find_tool does, describe and call --help tell the input, open names the page', async () => {
  const found = await octagent(['find', 'feed', 'the', 'cat'])
  expect([found.code, found.stdout.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^cat\.feed +0\.10 USD/),
  ])
  for (const args of [
    ['describe', 'dns_lookup'],
    ['call', 'data.dns_lookup', '--help'],
  ])
    expect((await octagent(args)).stdout).toMatch(/^ {2}domain +string +required +\w/m)
  expect((await octagent(['open', 'pet', '--url', server.url])).stdout).toBe(`${server.url}/cat/tools/pet\n`)
})

test('call says a price in a sentence, and how to pay it', async () => {
  const { code, stderr } = await octagent(['call', 'cat.feed', '--url', server.url])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/0\.10 USDC.*\n.*--pay/)])
})

test('call asks a server by its address', async () => {
  const { code, stdout } = await octagent(['call', 'cat.sign', 'name=Ada', 'note=42', '--url', server.url])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Ada', note: '42', untrusted: true })
})

test('call finds the one service that a server has at its root', async () => {
  const one = await serve({ OCTAGENT_DATA: folder(), OCTAGENT_DEVNET: 'false' }, ['cat'])
  try {
    const address = ['--url', one.url]
    const signed = await octagent(['call', 'cat.sign', 'name=Ada', 'note=42', ...address])
    expect([signed.code, JSON.parse(signed.stdout).note]).toEqual([0, '42'])
    const local = await octagent(['call', 'cat.pet'], {
      PORT: new URL(one.url).port,
      OCTAGENT_DATA: folder(),
    })
    expect([local.code, JSON.parse(local.stdout)]).toMatchObject([0, { purr: expect.anything() }])
    const missing = await octagent(['call', 'data.dns-lookup', 'domain=example.com', ...address])
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('does not serve data; it serves cat.')
  } finally {
    one.child.kill('SIGKILL')
    await one.exit
  }
})

test('call leaves a tool that finds nothing its answer', async () => {
  const { code, stdout } = await octagent([
    'call',
    'gateway.get_action_status',
    `id=${crypto.randomUUID()}`,
    '--url',
    server.url,
  ])
  expect([code, JSON.parse(stdout).status]).toEqual([1, expect.any(Number)])
})

test.each(['18.20.8', '20.18.3', '16.0.0'])(
  'Node %s is told what is needed, before anything runs',
  version => {
    const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
    const preload = `data:text/javascript,${encodeURIComponent(older)}`
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', preload, 'dist/main.js', 'list'],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      new RegExp(`^Octagent needs Node 20\\.19 or later; this is ${version}\\.\nInstall `),
    )
    expect(stderr).not.toContain('    at ')
  },
)

test('call works without a server, and takes JSON', async () => {
  const environment = { OCTAGENT_DATA: folder(), PORT: '1' }
  const { code, stdout } = await octagentAlone(
    ['call', 'data.text-entities', '{"text":"write to ada@example.com"}'],
    environment,
  )
  expect(code).toBe(0)
  expect(stdout).toContain('ada@example.com')
})

test('call says what is wrong and ends with 1', async () => {
  const { code, stdout } = await octagent(['call', 'cat.sign', 'name=', 'note=x', '--url', server.url])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'name' }] })
  const unknown = await octagent(['call', 'cat.bark'])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('pet')
})

test('doctor tells what is set, reachable and off', async () => {
  const { code, stdout } = await octagent(['doctor'], {
    OCTAGENT_DATA: folder(),
    DNS_SERVERS: '127.0.0.1:1',
    OCTAGENT_DEVNET: 'false',
    OCTAGENT_METRICS_TOKEN: 'hunter2hunter2hunter2',
    OCTAGENT_RPC_BASE: 'https://node.example.net/v1/hunter2',
    GATEWAY_POLICY: '{"budget_usd":"1"}',
    DATABSE_URL: 'postgres://hunter2@db.example.net',
    PORT: '1',
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}set +OCTAGENT_DATA=\S+$/m)
  expect(stdout).toMatch(/^ {2}set +GATEWAY_POLICY=\{"budget_usd":"1"\}$/m)
  expect(stdout).toMatch(/^ {2}set +OCTAGENT_METRICS_TOKEN=\[secret\]$/m)
  expect(stdout).toMatch(/^ {2}unknown DATABSE_URL: .*did you mean DATABASE_URL\?$/m)
  expect(stdout).not.toContain('hunter2')
  expect(stdout).toMatch(/ok +store +embedded/)
  expect(stdout).toMatch(/off +dns/)
  expect(stdout).toMatch(/data\.dns-lookup .*no payment rail/)
})

test('doctor asks the server that runs here', async () => {
  const { code, stdout } = await octagent(['doctor'], {
    PORT: new URL(server.url).port,
    OCTAGENT_DATA: folder(),
  })
  expect(code).toBe(0)
  expect(stdout).toContain(`The server at ${server.url}`)
  expect(stdout).toMatch(/ok +store +embedded/)
})

test.each(['bash', 'zsh', 'fish'])('completions for %s know the commands and tools', async shell => {
  const { stdout } = await octagent(['completions', shell])
  expect(stdout).toContain('doctor')
  expect(stdout).toContain('cat.pet')
  if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout })
})

test('an unknown command is refused with the usage', async () => {
  const { code, stderr } = await octagent(['dance'])
  expect(code).toBe(2)
  expect(stderr).toContain('Usage: octagent')
})

test('rotate makes a new secret in the data folder, keeps the one before until the end, and names the variable that holds it', async () => {
  const env = { OCTAGENT_DATA: folder() }
  expect(await octagent(['rotate', 'pepper'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/holds no secrets/),
  })
  const { pepper } = await openInstallation(env.OCTAGENT_DATA)
  expect((await octagent(['rotate', 'pepper'], env)).code).toBe(0)
  expect((await octagent(['rotate', 'pepper'], env)).stderr).toMatch(/not ended/)
  const rotated = await openInstallation(env.OCTAGENT_DATA)
  expect([rotated.previousPepper, rotated.pepper === pepper]).toEqual([pepper, false])
  expect((await octagent(['rotate', 'pepper', '--end'], env)).code).toBe(0)
  expect((await openInstallation(env.OCTAGENT_DATA)).previousPepper).toBeUndefined()
  const set = { ...env, OCTAGENT_PEPPER: 'a pepper of more than thirty-two bytes' }
  expect((await octagent(['rotate', 'pepper'], set)).stderr).toMatch(/OCTAGENT_PEPPER_PREVIOUS/)
})

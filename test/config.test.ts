import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { findMisspelt, listSettings, readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { configurationPage, environmentExample } from '../cli/docs.ts'
import { settings } from '../mcp/kernel/setting.ts'

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment, services)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('needs nothing', () => {
  expect(readConfig({})).toMatchObject({ PORT: 8402, OCTAGENT_BIND: '127.0.0.1', OCTAGENT_MCP_SHIM: true })
})

test('names every wrong and every unknown variable at once', () => {
  const message = refusal({
    PORT: 'ninety',
    OCTAGENT_COLOUR: 'red',
    PUBLIC_URL: 'example.org',
    HOSTS: 'cat',
    GATEWAY_POLICY: '{"max_cost_usd":5}',
  })
  for (const name of ['PORT', 'OCTAGENT_COLOUR', 'PUBLIC_URL', 'HOSTS', 'GATEWAY_POLICY: max_cost_usd'])
    expect(message).toContain(name)
})

test('a misspelt variable is named beside the nearest there is, also one of a service', () => {
  const message = refusal({ OCTAGENT_ORIGIN: '*', GATEWAY_POLCIY: '{}', CAT_PARTNER: 'friends' })
  expect(message).toContain('OCTAGENT_ORIGIN: there is no such variable; did you mean OCTAGENT_ORIGINS?')
  expect(message).toContain('GATEWAY_POLCIY: there is no such variable; did you mean GATEWAY_POLICY?')
  expect(message).toContain('CAT_PARTNER: there is no such variable; did you mean CAT_PARTNERS?')
})

test('a slug is a prefix of ours only where the service has variables of that prefix', () => {
  expect(refusal({ DATA_DIR: '/srv', GATEWAY: 'x' })).toBe('')
  expect(() => readConfig({ CAT_PARTNER: 'x' })).not.toThrow()
})

test('what looks like a variable without a prefix is found, and not refused', () => {
  const environment = { DATABSE_URL: 'postgres://x', HOST: 'a', PATH: '/bin' }
  expect(refusal(environment)).toBe('')
  expect(findMisspelt(environment, services)).toEqual([{ name: 'DATABSE_URL', nearest: 'DATABASE_URL' }])
  expect(findMisspelt({ ...environment, DATABASE_URL: 'postgres://y' }, services)).toEqual([])
})

test('every default and every example works, and no variable is declared twice', () => {
  const all = listSettings(services).flatMap(({ settings }) => settings)
  expect(all.length).toBeGreaterThan(45)
  for (const { variable, default: fallback, example, parse } of all)
    for (const text of [fallback, example])
      if (text !== undefined) expect(() => parse(text), variable).not.toThrow()
  const names = all.map(({ variable }) => variable)
  expect(new Set(names).size).toBe(names.length)
})

test('two that declare the same variable are refused', () => {
  const other = settings({
    place: { variable: 'PORT', schema: z.string(), description: 'Where ships moor.' },
  })
  expect(() => readConfig({}, [{ slug: 'pier', name: 'Pier', settings: other }])).toThrow('PORT')
})

test('what secrets are is neither printed by the error nor in a document', () => {
  const secret = `0x${'g'.repeat(64)}`
  expect(refusal({ OCTAGENT_FACILITATOR_KEY: secret })).toContain('OCTAGENT_FACILITATOR_KEY')
  expect(refusal({ OCTAGENT_FACILITATOR_KEY: secret })).not.toContain('ggg')
  for (const { settings } of listSettings(services))
    for (const { variable, secret } of settings)
      if (/KEY|PEPPER|TOKEN|DATABASE_URL|RPC|NETWORKS/.test(variable)) expect(secret, variable).toBeDefined()
})

test('leaves the variables of others alone', () => expect(refusal({ PATH: '/bin', COLOUR: 'red' })).toBe(''))

test('an empty variable is an absent one', () =>
  expect(readConfig({ PUBLIC_URL: '' }).PUBLIC_URL).toBeUndefined())

test('never prints a secret', () => {
  const pepper = 'p'.repeat(40)
  const config = readConfig({ OCTAGENT_PEPPER: pepper, DATABASE_URL: '' })
  for (const text of [JSON.stringify(config), inspect(config), String(config.OCTAGENT_PEPPER)]) {
    expect(text).not.toContain(pepper)
    expect(text).toContain('[secret]')
  }
  expect(config.OCTAGENT_PEPPER?.reveal()).toBe(pepper)
  expect(refusal({ OCTAGENT_PEPPER: 'tooshort' })).not.toContain('tooshort')
})

test('a database needs the keys that replicas share', () => {
  const message = refusal({ DATABASE_URL: 'postgres://localhost/x' })
  expect(message).toContain('OCTAGENT_PEPPER')
  expect(message).toContain('OCTAGENT_SIGNING_KEY')
})

test('an address beyond loopback needs a public URL', () => {
  expect(refusal({ OCTAGENT_BIND: '0.0.0.0' })).toContain('PUBLIC_URL')
  expect(refusal({ OCTAGENT_BIND: '0.0.0.0', PUBLIC_URL: 'https://a.example' })).toBe('')
})

test('a network needs who is paid and who settles, by its kind', () => {
  const evm = refusal({ OCTAGENT_NETWORKS: 'base=https://rpc.example' })
  expect(evm).toContain('OCTAGENT_PAY_TO')
  expect(evm).toContain('OCTAGENT_FACILITATOR_URL')
  const solana = refusal({ OCTAGENT_NETWORKS: 'solana=https://rpc.example' })
  expect(solana).toContain('OCTAGENT_SOLANA_PAY_TO')
  expect(solana).not.toContain('OCTAGENT_PAY_TO')
  expect(solana).toMatch(/OCTAGENT_SOLANA_FEE_KEY: this or OCTAGENT_FACILITATOR_URL/)
  expect(refusal({ OCTAGENT_NETWORKS: 'ethereum=https://rpc.example' })).toContain('OCTAGENT_NETWORKS')
  const { OCTAGENT_NETWORKS: networks } = readConfig({
    OCTAGENT_NETWORKS: 'base=https://rpc.example/key, arbitrum=http://127.0.0.1:1',
    OCTAGENT_PAY_TO: `0x${'1'.repeat(40)}`,
    OCTAGENT_FACILITATOR_URL: 'https://facilitator.example',
  })
  expect(networks?.map(({ name }) => name)).toEqual(['base', 'arbitrum'])
  expect(JSON.stringify(networks)).not.toContain('rpc.example')
})

test('credentials are for a facilitator that is named, and are never printed', () => {
  const set = {
    OCTAGENT_NETWORKS: 'base=https://rpc.example',
    OCTAGENT_PAY_TO: `0x${'1'.repeat(40)}`,
    OCTAGENT_FACILITATOR_URL: 'https://one.example/x402,https://two.example',
  }
  const auth = (value: unknown) => ({ ...set, OCTAGENT_FACILITATOR_AUTH: JSON.stringify(value) })
  const config = readConfig(auth({ 'one.example': { headers: { authorization: 'Bearer sesame' } } }))
  expect(config.OCTAGENT_FACILITATOR_URL).toEqual(['https://one.example/x402', 'https://two.example'])
  expect(JSON.stringify(config)).not.toContain('sesame')
  expect(refusal(auth({ 'three.example': { headers: {} } }))).toContain('three.example')
  const wrong = refusal(auth({ 'one.example': { keyId: 'id', keySecret: 'sesame' } }))
  expect(wrong).toContain('OCTAGENT_FACILITATOR_AUTH: one.example')
  expect(wrong).not.toContain('sesame')
})

test('reads host names for services', () => {
  expect(readConfig({ HOSTS: 'Cat.example.org=cat, data.example.org=data' }).HOSTS).toEqual([
    { host: 'cat.example.org', slug: 'cat' },
    { host: 'data.example.org', slug: 'data' },
  ])
})

test('.env.example and docs/configuration.md are fresh', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(environmentExample(services))
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage(services))
})

test('a pooler of transactions needs a way past it, and nothing else does', () => {
  const database = {
    DATABASE_URL: 'postgres://pooler.example.net:6432/octagent',
    OCTAGENT_PEPPER: 'p'.repeat(43),
    OCTAGENT_SIGNING_KEY: 'k'.repeat(43),
  }
  const direct = { OCTAGENT_DATABASE_DIRECT_URL: 'postgres://db.example.net/octagent' }
  const transaction = { OCTAGENT_DATABASE_POOLER: 'transaction' }
  expect(refusal({ ...database, ...transaction })).toContain('OCTAGENT_DATABASE_DIRECT_URL: needed')
  expect(refusal({ ...database, ...direct })).toContain('OCTAGENT_DATABASE_POOLER: must be transaction')
  expect(refusal({ ...transaction, ...direct })).toContain('DATABASE_URL, which is not set')
  expect(refusal({ ...database, OCTAGENT_DATABASE_POOLER: 'statement' })).toContain(
    'OCTAGENT_DATABASE_POOLER',
  )
  expect(refusal({ ...database, ...transaction, ...direct })).toBe('')
})
